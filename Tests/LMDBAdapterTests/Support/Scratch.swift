import Foundation
@_spi(Adapters) import TidelogCore
import TidelogLMDB

@_spi(Adapters) @testable import TidelogLMDBAdapter

/// A temporary directory for one test. It is removed with everything in it when the test releases it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/lmdb-adapter-tests-" + UUID().uuidString
        try Environment.createDirectory(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(isReadOnly: Bool = false) throws -> LMDBAdapter {
        try LMDBAdapter(directory: path, isReadOnly: isReadOnly, mapSize: 1 << 30)
    }
}

func checkpoint(_ sequence: UInt64) -> Checkpoint {
    Checkpoint(
        store: StoreID(high: 1, low: 2), sequence: SequenceNumber(sequence), chain: sequence * 7, schemaVersion: 1,
        projectionSignature: 3)
}

/// A change of one row.
enum Change {
    case put(Record)
    case delete(Record)
}

extension LMDBAdapter {
    /// Runs `body` in a transaction and commits it.
    func write(_ sequence: UInt64 = 1, _ body: (any AdapterTransaction) throws -> Void) throws {
        let transaction = try begin()
        do {
            try body(transaction)
            try transaction.commit(checkpoint: checkpoint(sequence))
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Calls `body` with a snapshot.
    func read<Result>(_ body: (any AdapterSnapshot) throws -> Result) throws -> Result {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        return try body(snapshot)
    }
}

extension AdapterTransaction {
    /// Applies `changes` as the engine does: sorted by key, and with whether each row existed and which of its fields changed.
    func apply(_ changes: [Change], to model: ModelLayout, sequence: UInt64 = 1) throws {
        var rows: [(row: EncodedRow, isDeleted: Bool)] = try changes.map { change in
            switch change {
            case .put(let record): (try EncodedRow(record, layout: model), false)
            case .delete(let record): (try EncodedRow(record, layout: model), true)
            }
        }
        rows.sort { $0.row.key.lexicographicallyPrecedes($1.row.key) }
        // `arena` owns the bytes of the keys, the rows and the field sets.
        let arena = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rows.reduce(0) { $0 + $1.row.key.count + $1.row.bytes.count + 256 }, alignment: 8)
        defer { arena.deallocate() }
        var offset = 0
        func kept(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
            let slice = UnsafeMutableRawBufferPointer(rebasing: arena[offset..<(offset + bytes.count)])
            slice.copyBytes(from: bytes)
            offset += bytes.count
            return UnsafeRawBufferPointer(slice)
        }
        var list: [RowChange] = []
        for (row, isDeleted) in rows {
            let key = kept(row.key)
            let old = try get(key, in: model)
            if isDeleted, old == nil { continue }
            let view = try RowView(kept(row.bytes))
            var bits = [UInt8](repeating: 0, count: (model.row.slotCount + 7) / 8)
            for slot in 0..<model.row.slotCount {
                let before = try old?.row.value(slot).map { Array($0) }
                if before != (try view.value(slot).map { Array($0) }) { bits[slot / 8] |= 1 << UInt8(slot % 8) }
            }
            list.append(
                RowChange(
                    key: key, sequence: SequenceNumber(sequence), row: isDeleted ? nil : view, existed: old != nil,
                    changedFields: FieldSet(bits: kept(bits))))
        }
        try list.withUnsafeBufferPointer { try apply($0, to: model) }
    }
}

extension AdapterReader {
    /// The records that `query` describes.
    func records(_ query: StorageQuery) throws -> [Record] {
        var records: [Record] = []
        try fetch(query) { row in
            records.append(try Record(row.row, layout: query.model))
            return true
        }
        return records
    }
}
