internal import TidelogCore

extension SyncStore {
    /// Records in a note that the store is synced with `identity`.
    ///
    /// - Throws: ``SyncError`` with the code `identityChanged` if it was synced with another identity.
    func claim(_ identity: SyncIdentity) async throws {
        let former = try await store.read { try $0.note(NoteName.identity) }.flatMap { SyncIdentity(encoded: $0) }
        guard let former else {
            try await write { try $0.append(noted: NoteName.identity, value: identity.encoded) }
            return
        }
        guard former == identity else { throw SyncError.identityChanged(from: former) }
    }

    /// The time of each model's last complete sync, by the server's clock in milliseconds.
    func lastSyncs() async throws -> [String: Int64] {
        try await store.read { [models] snapshot in
            var times: [String: Int64] = [:]
            for model in models.names {
                times[model] = try snapshot.note(NoteName.lastSync(model)).flatMap { LastSync(encoded: $0)?.startedAt }
            }
            return times
        }
    }
}
