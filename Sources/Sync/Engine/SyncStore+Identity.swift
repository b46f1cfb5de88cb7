@_spi(Adapters) internal import TidelogCore

extension SyncStore {
    /// The server and the person that the store is synced with; `nil` if no server has answered yet.
    func identity() async throws -> SyncIdentity? {
        try await store.read { try $0.note(NoteName.identity) }.flatMap { SyncIdentity(encoded: $0) }
    }

    /// Prepares the store for the sync with `identity`. The next write notes the identity, unless it is noted already.
    ///
    /// The engine writes nothing before a server has answered. An address that never answers, or a server that refuses the
    /// credentials, therefore leaves no trace in the store.
    ///
    /// - Throws: ``SyncError`` with the code `identityChanged` if the store was synced with another identity.
    func expect(_ identity: SyncIdentity) async throws {
        guard let former = try await self.identity() else { return unnoted.set(identity) }
        guard former == identity else { throw SyncError.identityChanged(from: former) }
    }

    /// Records in a note that the store is synced with `identity` from now on; `nil` makes the next server's answer decide.
    ///
    /// The notes of earlier queries are removed, so that the store asks the server for all records. Pending changes, mutations
    /// in flight and set-aside changes stay.
    func adopt(_ identity: SyncIdentity?) async throws {
        try await write { transaction in
            var notes: [String: [UInt8]?] = [:]
            for prefix in NoteName.queryPrefixes {
                try transaction.forEachNote(prefix: prefix) { note in
                    notes.updateValue(nil, forKey: note.name)
                    return true
                }
            }
            notes.updateValue(identity?.encoded, forKey: NoteName.identity)
            notes.updateValue(nil, forKey: NoteName.syncProtocol)
            try transaction.append(notes: notes)
        }
    }

    /// The number of records that the store has from its server.
    func knownCount() async throws -> Int {
        try await store.read { [models] snapshot in
            var count = 0
            for name in models.names {
                try snapshot.forEachRow(Record.all(of: name)) { row, layout in
                    let state = try snapshot.serverState(of: name, id: try layout.recordID(of: row.row))
                    if let state, !state.isDeleted { count += 1 }
                    return true
                }
            }
            return count
        }
    }

    /// Compares the versions of a server's records with the versions that the store knows.
    ///
    /// - Parameter byIDs: Whether a record with a known id counts as known, in any version.
    func recognise(_ records: [ServerRecord], byIDs: Bool) async throws -> (known: Int, different: Int) {
        try await store.read { snapshot in
            var (known, different) = (0, 0)
            for record in records {
                let reference = record.reference
                guard let state = try snapshot.serverState(of: reference.model, id: reference.id), !state.isDeleted,
                    try snapshot.record(reference.model, id: reference.id) != nil
                else { continue }
                let version = state.version ?? 0
                let isSame = byIDs || record.version == version && record.lastChangedAt == state.lastChangedAt
                let isLater = record.version > version && record.lastChangedAt >= state.lastChangedAt
                if isSame || isLater { known += 1 } else { different += 1 }
            }
            return (known, different)
        }
    }

    package func lastSyncs() async throws -> [String: Int64] {
        try await store.read { [models] snapshot in
            var times: [String: Int64] = [:]
            for model in models.names {
                times[model] = try snapshot.note(NoteName.lastSync(model)).flatMap { LastSync(encoded: $0)?.startedAt }
            }
            return times
        }
    }
}
