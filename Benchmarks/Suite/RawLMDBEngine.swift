internal import CBaselines
import Foundation
@_spi(Adapters) import Tidelog

/// A log, a table and an index in one LMDB environment, in C.
struct RawLMDBEngine: GrowingEngine {
    /// Whether a rebuild sorts and appends the content of the log, as Tidelog does. Otherwise it loads the rows from outside.
    var rebuildsFromLog = false

    var name: String { rebuildsFromLog ? "raw-lmdb-rebuild" : "raw-lmdb" }

    func open(_ size: WorkloadSize, in directory: String) throws -> RawLMDB {
        try RawLMDB(directory + "/lmdb", size.rawDurability)
    }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) throws -> Measurement? {
        let store = try open(size, in: directory)
        defer { store.close() }
        let generator = PostGenerator(workload)
        let numbers = 0..<size.records
        var size = size
        if workload == .savers { size.batch = 1 }
        if workload == .append {
            return try RawWork.write(generator, numbers, size, meter) {
                try store.check(baseline_lmdb_append(store.context, $0, $1, size.batch, $2))
            }
        }
        let isSetUp = ![.loadRandom, .loadOrdered, .savers, .rebuild].contains(workload) || rebuildsFromLog
        let load = try store.load(generator, numbers, size, isSetUp ? .off : meter)
        if rebuildsFromLog { return try store.rebuild(size, meter).touching(size.records, like: load) }
        return try work(store, workload, generator, size, meter, load)
    }

    private func work(
        _ store: RawLMDB, _ workload: Workload, _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter,
        _ load: Measurement
    ) throws -> Measurement? {
        let context = store.context
        switch workload {
        case .loadRandom, .loadOrdered, .savers: return load
        // The rebuild is compared with this load: the same rows come from outside and are sorted within each batch.
        case .rebuild: return load
        case .update:
            return try RawWork.write(generator, 0..<size.records, size, revision: 1, meter) {
                try store.check(baseline_lmdb_update(context, $0, $1, size.batch, $2))
            }
        case .pointRead:
            return try RawWork.point(generator, size, meter) { keys, post, latencies in
                try store.check(baseline_lmdb_read(context, keys, size.operations, post, latencies))
            }.touching(size.operations, like: load)
        case .scan:
            return try RawWork.scan(size, meter) { bound, posts, capacity, matched in
                try store.check(baseline_lmdb_scan(context, bound, posts, capacity, matched))
            }.touching(size.records, like: load)
        case .indexRange:
            let (range, rows) = try RawWork.range(size, meter) { bounds, posts, rows, latencies in
                try store.check(
                    baseline_lmdb_range(
                        context, bounds, size.operations, Workload.rangeLimit, posts, rows, latencies))
            }
            return range.touching(rows, like: load)
        case .ycsbA:
            return try RawWork.mix(generator, size, meter) { records, operations, post, latencies in
                try store.check(baseline_lmdb_mix(context, records, operations, size.operations, post, latencies))
            }
        case .append, .growth, .open, .codec, .server, .sync, .syncDelayed: return nil
        }
    }
}

/// An open LMDB environment.
final class RawLMDB: GrowingStore {
    private static let mapByteCount: UInt64 = 64 << 30

    private var opened: OpaquePointer?
    var context: OpaquePointer {
        guard let opened else { preconditionFailure("the environment is open") }
        return opened
    }

    init(_ directory: String, _ durability: baseline_durability) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var rowLayout = RawRecords.rowLayout
        var eventLayout = RawRecords.eventLayout
        let status = baseline_lmdb_open(
            directory, durability, Self.mapByteCount, &rowLayout, &eventLayout, &opened)
        guard status == BASELINE_OK else {
            defer { close() }
            throw failure
        }
    }

    func close() {
        baseline_lmdb_close(opened)
        opened = nil
    }

    func check(_ status: baseline_status) throws {
        guard status == BASELINE_OK else { throw failure }
    }

    private var failure: UsageError {
        UsageError("raw LMDB: " + (opened.map { String(cString: baseline_lmdb_message($0)) } ?? "out of memory"))
    }

    func load(
        _ generator: PostGenerator, _ numbers: Range<Int>, _ size: WorkloadSize, _ meter: Meter
    ) throws -> Measurement {
        try RawWork.write(generator, numbers, size, meter) {
            try check(baseline_lmdb_load(context, $0, $1, size.batch, $2))
        }
    }

    /// Recreates the table and the index from the log.
    func rebuild(_ size: WorkloadSize, _ meter: Meter) throws -> Measurement {
        try check(baseline_lmdb_clear_rows(context))
        var measurement = Measurement()
        meter.resume()
        let began = Clock.now()
        try check(baseline_lmdb_rebuild(context, size.batch, &measurement.operations))
        measurement.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        return measurement
    }
}

extension WorkloadSize {
    /// The durability of a raw engine in this workload.
    var rawDurability: baseline_durability {
        switch durability {
        case .full: BASELINE_FULL
        case .relaxed: isLogAlone ? BASELINE_RELAXED : BASELINE_UNSYNCED
        }
    }
}
