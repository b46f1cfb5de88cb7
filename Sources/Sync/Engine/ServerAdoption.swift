internal import TidelogCore

/// Decides whether a server has the records of a store, although the store was synced with another address.
struct ServerAdoption {
    /// The result of the comparison.
    struct Findings: Sendable {
        /// How many records the store has from its former server.
        let total: Int
        /// How many of them the new server has in the same version, or in a later one.
        var known = 0
        /// How many of them the new server has in another version.
        var different = 0
        /// Why a model could not be compared.
        var problems: [String] = []

        /// Whether more than half of the records are on the new server. If the store has no records of a server, it cannot be
        /// compared with one, so every server is accepted.
        var areProof: Bool { total == 0 || known * 2 > total }
    }

    private let syncStore: SyncStore
    private let server: PatientServer
    private let pageSize: Int
    /// Whether the versions of the store's records come from an API of another kind, so that only their ids can be compared.
    private let comparesIDs: Bool

    init(_ syncStore: SyncStore, _ server: PatientServer, pageSize: Int, comparesIDs: Bool) {
        self.syncStore = syncStore
        self.comparesIDs = comparesIDs
        self.server = server
        self.pageSize = pageSize
    }

    /// Adopts the server, or throws ``SyncError`` with the code `unrelatedServer`.
    func run(_ identity: SyncIdentity, former: SyncIdentity) async throws {
        let findings = try await findings()
        guard findings.areProof else { throw SyncError.unrelatedServer(identity, former: former, findings) }
        // A server that has answered nothing about known records is noted with its first answer.
        try await syncStore.adopt(findings.total == 0 ? nil : identity)
    }

    /// Asks for the records of every model, page by page, until they are proof enough.
    private func findings() async throws -> Findings {
        var findings = Findings(total: try await syncStore.knownCount())
        for name in syncStore.models.names where !findings.areProof {
            do {
                try await compare(name, &findings)
            } catch let refusal as PatientServer.Refusal {
                findings.problems.append("\(name): \(refusal.reason)")
            }
        }
        return findings
    }

    private func compare(_ name: String, _ findings: inout Findings) async throws {
        var query = Inbox.Query(model: name, number: 0, lastSync: nil, nextToken: nil, limit: pageSize)
        repeat {
            try Task.checkCancellation()
            let page = try await server.page(query)
            let (known, different) = try await syncStore.recognise(page.records, byIDs: comparesIDs)
            findings.known += known
            findings.different += different
            if let token = page.nextToken, token == query.nextToken {
                throw PatientServer.Refusal(reason: "the server gives the same page again and again")
            }
            query.nextToken = page.nextToken
        } while query.nextToken != nil && !findings.areProof
    }
}

extension SyncError {
    static func unrelatedServer(
        _ identity: SyncIdentity, former: SyncIdentity, _ findings: ServerAdoption.Findings
    ) -> SyncError {
        let missing = max(0, findings.total - findings.known - findings.different)
        let problems = findings.problems.map { " " + $0 }.joined()
        return SyncError(
            .unrelatedServer,
            "\(identity.endpoint) does not have the records of this store. Of \(findings.total) records from "
                + "\(former.endpoint), it has \(findings.known) in the same or a later version and "
                + "\(findings.different) in another version, and it lacks \(missing).\(problems)",
            recovery: "Check the address. Nothing was sent. To begin with this server's records, clear the store first."
        )
    }
}

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
        let noted = try await settings.notedProtocol() ?? .versioned
        var chosen = try await settings.chosenProtocol()
        while true {
            server.use(chosen, mayChoose: settings.machine.syncProtocol == .automatic)
            let patient = PatientServer(server, patience: patience, credentialTries: settings.machine.credentialTries)
            let adoption = ServerAdoption(
                syncStore, patient, pageSize: settings.machine.inbox.pageSize,
                comparesIDs: chosen.hasVersions != noted.hasVersions)
            do {
                return try await adoption.run(identity, former: former)
            } catch is PatientServer.LacksVersions {
                chosen = .timestamps
            }
        }
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
