/// Compares the tables of registered projections with the results of a replay of the log in memory.
///
/// After a compaction, a table may correctly contain entries from events that were dropped. The tables are then not compared.
struct ProjectionVerification {
    /// The projections whose tables were not compared.
    private(set) var skipped: [String] = []
    /// The descriptions of the differences.
    private(set) var differences: [String] = []

    /// The largest number of differences that are reported for one table.
    private static let reportedCount = 20

    init(_ reader: LogSlices, _ rows: any AdapterReader, _ projector: Projector) throws {
        let tables = Array(projector.registeredTables)
        guard !tables.isEmpty else { return }
        guard try reader.metadata().droppedCount == 0 else {
            skipped = tables.map(\.name)
            return
        }
        let checkpoint = try rows.checkpoint()?.sequence ?? .zero
        let replayed = tables.map { _ in ProjectionTable() }
        try reader.forEach(after: .zero) { event in
            guard event.sequence <= checkpoint else { return false }
            try projector.project(event, into: replayed)
            return true
        }
        for (table, replayed) in zip(tables, replayed) {
            differences += try Self.differences(rows, table, replayed.replayed)
        }
    }

    private static func differences(
        _ rows: any AdapterReader, _ table: AuxiliaryTable, _ replayed: [[UInt8]: [UInt8]]
    ) throws -> [String] {
        var missing = replayed
        var differences: [String] = []
        try rows.auxiliaryEntries(after: nil, in: table) { key, value in
            switch missing.removeValue(forKey: Array(key)) {
            case nil: differences.append("an entry of the projection \(table.name) follows from no event")
            case let expected? where !expected.elementsEqual(value):
                differences.append("an entry of the projection \(table.name) is not what the events say")
            default: break
            }
            return differences.count < reportedCount
        }
        if differences.count < reportedCount, !missing.isEmpty {
            let entries = missing.count == 1 ? "1 entry" : "\(missing.count) entries"
            differences.append("the projection \(table.name) lacks \(entries)")
        }
        return differences
    }
}
