@_spi(Adapters) import Tidelog

/// The common part of the snapshot and the transaction, which both read `contents`.
class TutorialReader: AdapterReader {
    var contents: Contents
    /// Owns the bytes that the last call returned. They must stay in place until the next call.
    private let lent = LentBytes()

    init(_ contents: Contents) { self.contents = contents }

    func checkpoint() -> Checkpoint? { contents.checkpoint }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        guard let entry = contents.models[model.number]?.entry(under: key) else { return nil }
        let (key, value) = lent.hold(entry)
        return StoredRow(key: key, sequence: entry.sequence, row: try RowView(value))
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        for entry in try matches(of: query).dropFirst(query.page.offset).prefix(query.page.limit ?? .max) {
            guard try entry.withRow(body) else { return }
        }
    }

    func count(_ query: StorageQuery) throws -> Int {
        try matches(of: query).dropFirst(query.page.offset).prefix(query.page.limit ?? .max).count
    }

    func plan(_ query: StorageQuery) -> QueryPlan {
        QueryPlan(index: nil, summary: "table \(query.model.name)", sorts: !query.sort.isEmpty)
    }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) -> UnsafeRawBufferPointer? {
        contents.auxiliary[table.name]?.entry(under: key).map { lent.hold($0).value }
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        for entry in contents.auxiliary[table.name]?.entries(after: key) ?? [] {
            let goesOn = try entry.key.withUnsafeBytes { key in
                try entry.value.withUnsafeBytes { value in try body(key, value) }
            }
            guard goesOn else { return }
        }
    }
}

/// A view of the contents at the moment when the view was opened.
final class TutorialSnapshot: TutorialReader, AdapterSnapshot {
    func end() { contents = Contents() }
}

/// Memory for one entry. The entry stays in place until the next call of ``hold(_:)``.
private final class LentBytes {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)

    deinit { memory.deallocate() }

    func hold(_ entry: Entry) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        memory.deallocate()
        memory = .allocate(byteCount: entry.key.count + entry.value.count, alignment: 16)
        memory.copyBytes(from: entry.key + entry.value)
        let lent = UnsafeRawBufferPointer(memory)
        return (
            UnsafeRawBufferPointer(rebasing: lent[..<entry.key.count]),
            UnsafeRawBufferPointer(rebasing: lent[entry.key.count...])
        )
    }
}

extension Entry {
    /// Calls `body` with the entry as a row, whose bytes are valid until it returns.
    func withRow<Result>(_ body: (StoredRow) throws -> Result) throws -> Result {
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                try body(StoredRow(key: key, sequence: sequence, row: RowView(value)))
            }
        }
    }
}
