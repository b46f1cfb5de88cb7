@_spi(Adapters) internal import TidelogCore

/// A write transaction with the rows that it should show.
final class WriteScope {
    let transaction: any AdapterTransaction
    private let subject: Subject
    private(set) var rows: [String: [[UInt8]: [UInt8]]]

    init(_ transaction: any AdapterTransaction, subject: Subject, rows: [String: [[UInt8]: [UInt8]]]) {
        self.transaction = transaction
        self.subject = subject
        self.rows = rows
    }

    var read: ReadScope { ReadScope(reader: transaction, schema: subject.schema) }

    /// Writes the records in one batch for each model, sorted by key.
    func save(_ records: [Record]) throws {
        for (name, records) in Dictionary(grouping: records, by: \.model).sorted(by: { $0.key < $1.key }) {
            let model = subject.model(name)
            try apply(
                try records.map { record in
                    let row = try EncodedRow(record, layout: model)
                    return (row.key, row.bytes)
                }, to: model)
        }
    }

    /// Removes the records with `ids`.
    func delete(_ name: String, _ ids: [RecordID]) throws {
        let model = subject.model(name)
        try apply(try ids.map { id in (try model.withKey(of: id) { Array($0) }, nil) }, to: model)
    }

    /// Writes rows by key, or removes them if the row is `nil`. Every key appears once.
    private func apply(_ changes: [(key: [UInt8], row: [UInt8]?)], to model: ModelLayout) throws {
        let buffer = ChangeBuffer()
        for change in changes {
            let before = rows[model.name]?[change.key]
            try buffer.append(key: change.key, before: before, after: change.row, sequence: subject.nextSequence())
            rows[model.name, default: [:]][change.key] = change.row
        }
        try buffer.withChanges { try transaction.apply($0, to: model) }
    }
}

/// Changes of one model's rows, with the memory to which they refer.
///
/// `existed` and `changedFields` are correct, because they are computed from the rows that the kit itself remembers.
private final class ChangeBuffer {
    private var changes: [RowChange] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []

    deinit { memory.forEach { $0.deallocate() } }

    /// Adds the change of the row under `key` from `before` to `after`.
    func append(key: [UInt8], before: [UInt8]?, after: [UInt8]?, sequence: SequenceNumber) throws {
        let old = try before.map { try RowView(keep($0)) }
        let new = try after.map { try RowView(keep($0)) }
        changes.append(
            RowChange(
                key: keep(key), sequence: sequence, row: new, existed: before != nil,
                changedFields: FieldSet(bits: keep(try Self.difference(old, new)))))
    }

    /// Calls `body` with the changes, sorted by key.
    func withChanges(_ body: (UnsafeBufferPointer<RowChange>) throws -> Void) rethrows {
        changes.sort { $0.key.lexicographicallyPrecedes($1.key) }
        try changes.withUnsafeBufferPointer(body)
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyBytes(from: bytes)
        memory.append(copy)
        return UnsafeRawBufferPointer(copy)
    }

    /// A bitmap of the slots whose values differ. If one of the rows does not exist, all slots are set.
    private static func difference(_ old: RowView?, _ new: RowView?) throws -> [UInt8] {
        let slotCount = max(old?.slotCount ?? 0, new?.slotCount ?? 0)
        var bits = [UInt8](repeating: 0, count: (slotCount + 7) / 8)
        for slot in 0..<slotCount where try old == nil || new == nil || !isEqual(old, new, slot) {
            bits[slot >> 3] |= 1 << UInt8(slot & 7)
        }
        return bits
    }

    private static func isEqual(_ old: RowView?, _ new: RowView?, _ slot: Int) throws -> Bool {
        switch (try old?.value(slot), try new?.value(slot)) {
        case (nil, nil): true
        case (let old?, let new?): old.elementsEqual(new)
        default: false
        }
    }
}
