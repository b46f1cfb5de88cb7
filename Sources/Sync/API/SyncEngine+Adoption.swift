internal import TidelogCore

extension SyncEngine {
    /// Makes the engine's server the server of a store that was synced with another server.
    ///
    /// - Parameter patience: The longest time during which the server may give no usable answer.
    /// - Throws: As ``start(adoptingServer:)``.
    package func adoptServer(patience: Duration) async throws {
        guard var server else { throw SyncError.localOnly }
        let identity = try await Self.identity(of: server)
        let syncStore = SyncStore(settings.store, settings.models)
        guard let former = try await syncStore.identity(), former != identity else { return }
        guard former.issuer == identity.issuer, former.subject == identity.subject else {
            throw SyncError.anotherPerson(than: former)
        }
        await stop()
        // Another engine of this process may sync the store with the former server.
        let lease = SyncLease(of: settings.store)
        guard lease.take({}) else { throw SyncError.identityChanged(from: former) }
        defer { lease.giveUp() }
        server.filters = try settings.scope().filters
        let patient = PatientServer(server, patience: patience, credentialTries: settings.machine.credentialTries)
        let adoption = ServerAdoption(syncStore, patient, pageSize: settings.machine.inbox.pageSize)
        try await adoption.run(identity, former: former)
    }

    /// The server, and the person in the token of the default mode.
    ///
    /// - Throws: ``SyncError`` with the code `unauthorized`.
    static func identity(of server: SyncServer) async throws -> SyncIdentity {
        do throws(GraphQLClientError) {
            return try await server.identity()
        } catch {
            throw SyncError.unauthorized(RequestFailure(error))
        }
    }
}
