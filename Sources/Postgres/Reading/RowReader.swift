@_spi(Adapters) internal import TidelogCore
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogSQLTranslation

/// Makes rows from the results of ``RecordTable/selection``. One thread at a time uses it.
final class RowReader {
    private let table: RecordTable
    private let assembler: RowAssembler
    private var json: RowJSONReader
    private let hasJSON: Bool

    init(_ table: RecordTable) {
        self.table = table
        assembler = RowAssembler(table.model.row)
        json = RowJSONReader(layout: table.model)
        hasJSON = table.columns.contains { $0.storage == .json }
    }

    /// Calls `body` with the key and the row at the position `row` of `result`. Both are valid until `body` returns.
    func withRow<Value>(
        _ result: SQLResult, _ row: Int, _ body: (_ key: UnsafeRawBufferPointer, RowView) throws -> Value
    ) throws -> Value {
        guard let key = result.bytes(row, 0) else { throw DataStoreError.damagedRows("A record has no key.") }
        let arena = ByteArena()
        assembler.begin()
        var object: [UInt8] = []
        var position = 1
        for column in table.columns {
            try set(column, result, row, position, &object)
            position += column.instant == nil ? 1 : 2
        }
        let byteCount = assembler.write { arena.reserve($0) }
        arena.count = byteCount
        let view = try RowView(arena[0..<byteCount])
        guard !object.isEmpty else { return try body(key, view) }
        object.append(UInt8(ascii: "}"))
        return try object.withUnsafeBytes { object in
            try json.withRow(patching: view, with: object) { try body(key, $0) }
        }
    }

    /// The record at the position `row` of `result`.
    func record(_ result: SQLResult, _ row: Int) throws -> Record {
        try withRow(result, row) { try Record($1, layout: table.model) }
    }

    /// Sets the value of a column. Lists and embedded values become members of `object`.
    private func set(
        _ column: RecordTable.Column, _ result: SQLResult, _ row: Int, _ position: Int, _ object: inout [UInt8]
    ) throws {
        let slot = column.field.slot
        switch column.storage {
        case .text: if let text = result.bytes(row, position) { assembler.set(text, at: slot) }
        case .int: if let number = try result.int(row, position) { assembler.set(number, at: slot) }
        case .double: if let number = try result.double(row, position) { assembler.set(number, at: slot) }
        case .bool: if let flag = try result.bool(row, position) { assembler.set(flag, at: slot) }
        case .temporal:
            guard let text = result.bytes(row, position) else { return }
            guard let instant = result.bytes(row, position + 1).flatMap({ Temporal.Instant(comparableBytes: $0) })
            else { throw DataStoreError.damagedRows("A time of \(table.model.name) has no instant.") }
            assembler.set(instant, text, at: slot)
        case .json:
            guard let value = result.bytes(row, position) else { return }
            object.append(UInt8(ascii: object.isEmpty ? "{" : ","))
            object += Array("\"\(column.field.name)\":".utf8)
            // The binary format begins with a version.
            object += value.dropFirst()
        }
    }
}

extension Temporal.Instant {
    /// The instant of ``comparableBytes``; `nil` if `bytes` are none.
    fileprivate init?(comparableBytes bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 12 else { return nil }
        let seconds = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ (1 << 63)
        let nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        guard nanoseconds < 1_000_000_000 else { return nil }
        self.init(seconds: Int64(bitPattern: seconds), nanoseconds: Int32(nanoseconds))
    }
}
