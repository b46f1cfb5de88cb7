@_spi(Adapters) internal import TidelogCore

/// Compares the store's records with the server's.
extension SyncStore {
    /// The outcome for records that may differ.
    struct Findings: Sendable {
        var differences: [SyncDifference] = []
        /// How many records the server has changed since the last sync.
        var behind = 0
        /// The records that changed while the server was asked about them.
        var overtaken: [RecordReference] = []
    }

    /// The records that differ from the server's, and the number of the server's records that are synced.
    func suspects(
        among records: [ServerRecord]
    ) async throws -> (references: [RecordReference], recordCount: Int) {
        try await store.read { [isInScope] snapshot in
            var (references, recordCount) = ([RecordReference](), 0)
            for record in records {
                let reference = record.reference
                let theirs = record.row.flatMap { isInScope($0) ? $0 : nil }
                if theirs != nil { recordCount += 1 }
                let known = try snapshot.serverState(of: reference.model, id: reference.id)
                let row = try snapshot.record(reference.model, id: reference.id)
                if Self.difference(reference, row, known, theirs, record) != nil { references.append(reference) }
            }
            return (references, recordCount)
        }
    }

    /// The records of a model whose hashes `seen` lacks, in the order of their keys.
    ///
    /// - Parameter place: The place where an earlier call ended; `nil` for the beginning.
    /// - Returns: At most `limit` records, and the place where the next call begins; `nil` at the end.
    func references(
        of model: String, notIn seen: Set<UInt64>, after place: [UInt8]?, limit: Int
    ) async throws -> (references: [RecordReference], next: [UInt8]?) {
        try await store.read { snapshot in
            var (references, last) = ([RecordReference](), [UInt8]())
            try snapshot.forEachRow(Record.all(of: model), after: place) { row, layout in
                let reference = RecordReference(model: model, id: try layout.recordID(of: row.row))
                guard !seen.contains(reference.stableHash) else { return true }
                references.append(reference)
                last = Array(row.key)
                return references.count < limit
            }
            return (references, references.count < limit ? nil : last)
        }
    }

    /// Decides about records that may differ, using the server's records, and repairs them in one write.
    ///
    /// - Parameters:
    ///   - pending: The pending changes, read before the server was asked.
    ///   - lastSync: The server's time of the model's last complete sync.
    func findings(
        about records: [StoreComparison.ComparedRecord], _ pending: PendingChanges, lastSync: Int64?, isRepairing: Bool
    ) async throws -> Findings {
        let head = pending.head.sequence
        return try await write { [isInScope] transaction in
            var findings = Findings()
            var repairs: [StoreComparison.ComparedRecord] = []
            for record in records {
                let reference = record.reference
                guard try transaction.latestSequence(of: reference.model, id: reference.id) <= head else {
                    findings.overtaken.append(reference)
                    continue
                }
                let known = try transaction.serverState(of: reference.model, id: reference.id)
                let row = try transaction.record(reference.model, id: reference.id)
                let theirs = record.server?.row.flatMap { isInScope($0) ? $0 : nil }
                guard var difference = Self.difference(reference, row, known, theirs, record.server) else { continue }
                guard !Self.isOnItsWay(record.server, known, lastSync) else {
                    findings.behind += 1
                    continue
                }
                difference.isRepaired = isRepairing
                findings.differences.append(difference)
                if isRepairing { repairs.append(record) }
            }
            for record in repairs {
                if let server = record.server {
                    try transaction.show(server, isInScope: isInScope)
                } else {
                    try transaction.append([.leftScope], of: record.reference)
                }
            }
            return findings
        }
    }

    /// Whether the server changed the record at a time that the next sync covers.
    private static func isOnItsWay(_ record: ServerRecord?, _ known: ServerState?, _ lastSync: Int64?) -> Bool {
        guard let record, record.version > known?.version ?? 0 else { return false }
        return lastSync.map { record.lastChangedAt >= $0 } ?? true
    }

    /// The difference between the store's row and the server's; `nil` if they are equal.
    ///
    /// - Parameter theirs: The server's row, if it exists and is in the scope.
    private static func difference(
        _ reference: RecordReference, _ row: Record?, _ known: ServerState?, _ theirs: Record?, _ server: ServerRecord?
    ) -> SyncDifference? {
        var (kind, fields) = (SyncDifference.Kind.differs, [String]())
        switch (row, theirs) {
        case (nil, nil): return nil
        case (nil, _?): kind = .missingHere
        case (_?, nil): kind = .missingThere
        case (let row?, let theirs?):
            let names = Set(row.values.keys).union(theirs.values.keys)
            fields = names.filter { row[$0] != theirs[$0] }.sorted()
            if known?.version != server?.version { fields.append("_version") }
            if fields.isEmpty { return nil }
        }
        return SyncDifference(model: reference.model, id: reference.id, kind: kind, fields: fields)
    }
}
