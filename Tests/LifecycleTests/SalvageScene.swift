import Foundation
import TestStores
import Testing
import Tidelog
import TidelogLMDB

@testable import TidelogCore

/// A store for tests of salvage, and all events that were ever in its log. The log has dozens of pages, long events on
/// pages of their own, many commits, a change of the schema and a compaction.
struct SalvageScene {
    let scratch: Scratch
    let adapter: Adapter
    let hash: StateHash
    let floor: UInt64
    let head: UInt64
    /// The events of the log, by number.
    let live: [UInt64: [UInt8]]
    /// The events of `live`, and the events that the compaction dropped.
    let history: [UInt64: [UInt8]]
    /// The undamaged file of the log.
    let file: Data
    /// The places of whole copies of each event in the file. Free pages may have copies too.
    let places: [UInt64: [Range<Int>]]

    static let pageSize = 4_096
    static let logFile = "generation-1/log/data.mdb"

    init(_ adapter: Adapter = Adapter(factory: .lmdb())) async throws {
        scratch = try Scratch()
        self.adapter = adapter
        var history: [UInt64: [UInt8]] = [:]
        var store = try await scratch.open(adapter)
        for round in 0..<12 {
            try await store.write { tx in
                for id in 0..<(3 + round % 5 * 4) {
                    let isLong = (id + round) % 7 == 0
                    try tx.save(item("r\(id)", String(repeating: "title \(round) ", count: isLong ? 700 : 3)))
                }
            }
        }
        try await store.write { _ = try $0.delete("Item", id: RecordID("r1")) }
        for event in try store.allEvents() { history[event.sequence.value] = event.bytes }
        try await store.close()
        store = try await scratch.open(adapter, schema: widerItemSchema)
        try await store.write { tx in
            for id in 5..<30 { try tx.save(Self.noted("r\(id)", "wider")) }
        }
        for event in try store.allEvents() { history[event.sequence.value] = event.bytes }
        #expect(try await store.compact(tombstoneAge: .seconds(3_600)).droppedCount > 20)
        floor = try store.current().log.metadata.floor.sequence.value
        for round in 0..<14 {
            try await store.write { tx in
                for id in 0..<(4 + round % 4) {
                    let title = String(repeating: "late \(round) ", count: (id + round) % 5 == 0 ? 900 : 12)
                    try tx.save(Self.noted("r\(3 * id + round % 3)", title))
                }
                if round % 4 == 3 { _ = try tx.delete("Item", id: RecordID("r\(20 + round)")) }
                if round % 5 == 2 {
                    try tx.append(
                        received: Self.noted("s\(round)", "theirs \(round)"),
                        server: ServerState(version: UInt64(round)))
                }
            }
        }
        var live: [UInt64: [UInt8]] = [:]
        for event in try store.allEvents() { live[event.sequence.value] = event.bytes }
        for (sequence, bytes) in live { history[sequence] = bytes }
        (self.live, self.history) = (live, history)
        hash = try await store.hash()
        head = try store.head.sequence.value
        try await store.close()
        file = try Data(contentsOf: scratch.path().appending(path: Self.logFile))
        let whole = [UInt8](file)
        var places: [UInt64: [Range<Int>]] = [:]
        for (sequence, bytes) in live { places[sequence] = Self.places(of: bytes, in: whole) }
        self.places = places
        #expect(file.count / Self.pageSize > 36)
        #expect(live.values.contains { $0.count > 5_000 })
    }

    static func noted(_ id: String, _ title: String) -> Record {
        var record = item(id, title, rank: 1)
        record["note"] = .string("note of \(id)")
        return record
    }

    private static func places(of bytes: [UInt8], in file: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        file.withUnsafeBytes { file in
            bytes.withUnsafeBytes { bytes in
                guard let base = file.baseAddress, let event = bytes.baseAddress else { return }
                for place in stride(from: 0, through: file.count - bytes.count, by: 2)
                where memcmp(base + place, event, bytes.count) == 0 {
                    places.append(place..<place + bytes.count)
                }
            }
        }
        return places
    }

    /// The numbers of the events that have a copy outside of `zeroed`.
    func survivors(outside zeroed: [Range<Int>]) -> Set<UInt64> {
        Set(
            live.keys.filter { sequence in
                places[sequence]?.contains { place in zeroed.allSatisfy { !$0.overlaps(place) } } ?? false
            })
    }

    /// The result of a salvage of a copy of the store with a different file of the log.
    struct Saved {
        let report: SalvageReport
        let name: String
        /// The events that salvage copied, by number. `made` has the events that salvage made.
        let copied: [UInt64: [UInt8]]
        let made: [Event]
        let hash: StateHash?
    }

    /// Salvages a copy of the store in which `file` replaces the file of the log.
    ///
    /// - Parameter opens: Whether this method also opens the salvaged store.
    func salvage(
        _ file: Data, _ name: String, withRows: Bool = true, opens: Bool = true, schema: Schema? = nil
    ) async throws -> Saved {
        let target = scratch.path(name + "-saved")
        try FileManager.default.copyItem(at: scratch.path(), to: scratch.path(name))
        defer { try? FileManager.default.removeItem(at: scratch.path(name)) }
        let path = scratch.path(name).appending(path: Self.logFile)
        try file.write(to: path)
        let report = try await StoreFiles.salvage(
            from: scratch.path(name), to: target, adapter: withRows ? adapter.factory : nil, schema: schema)
        #expect(try Data(contentsOf: path) == file, "\(name)")
        defer { try? FileManager.default.removeItem(at: target) }
        let verified = try await StoreFiles.verifyLog(at: target)
        #expect(verified.isWhole, "\(name): \(verified.damaged)")
        #expect(verified.eventCount == report.keptCount + report.added, "\(name): \(report)")
        guard opens else {
            return Saved(report: report, name: name, copied: try Self.events(of: target), made: [], hash: nil)
        }
        let store = try await scratch.open(adapter, name + "-saved", schema: widerItemSchema)
        let events = try store.allEvents()
        #expect(try await store.verify().isWhole, "\(name)")
        let hash = try await store.hash()
        // Opening the store may add an event with a schema, which is not a copy.
        let copied = events.filter { !$0.isSalvaged && $0.sequence <= report.lastSequence }
        try await store.save(item("after", "all"))
        #expect(try await store.verify().isWhole, "\(name)")
        try await store.close()
        return Saved(
            report: report, name: name,
            copied: Dictionary(uniqueKeysWithValues: copied.map { ($0.sequence.value, $0.bytes) }),
            made: events.filter(\.isSalvaged), hash: hash)
    }

    /// The events of the store at `directory`, by number.
    private static func events(of directory: URL) throws -> [UInt64: [UInt8]] {
        let log = try EventLog(readingStoreAt: directory.path)
        defer { log.close() }
        var events: [UInt64: [UInt8]] = [:]
        try log.withReader { reader in
            try reader.forEach(after: .zero) { event in
                events[event.sequence.value] = Array(event.bytes)
                return true
            }
        }
        return events
    }

    /// The numbers above the floor that are not in `saved`, as ranges.
    func gaps(without saved: Set<UInt64>) -> [ClosedRange<SequenceNumber>] {
        var gaps: [ClosedRange<UInt64>] = []
        for number in floor + 1...head where !saved.contains(number) {
            if let last = gaps.last, last.upperBound + 1 == number {
                gaps[gaps.count - 1] = last.lowerBound...number
            } else {
                gaps.append(number...number)
            }
        }
        return gaps.map { SequenceNumber($0.lowerBound)...SequenceNumber($0.upperBound) }
    }
}

extension SalvageReport {
    /// The number of events that salvage made.
    var added: Int { recordCount + noteCount + replacedSchemas.count }
}
