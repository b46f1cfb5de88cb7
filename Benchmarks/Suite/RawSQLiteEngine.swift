internal import CBaselines
import Tidelog

/// A table and a log in one SQLite file, in C.
struct RawSQLiteEngine: BenchmarkEngine {
    /// Whether `synchronous` is NORMAL where the durability would demand OFF. SQLite in WAL mode is commonly used with NORMAL.
    var isNormal = false

    var name: String { isNormal ? "raw-sqlite-normal" : "raw-sqlite" }

    func takesPart(in workload: Workload) -> Bool { ![.rebuild, .codec].contains(workload) && !workload.hasPairs }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) throws -> Measurement? {
        var opened: OpaquePointer?
        let synchronous = isNormal ? BASELINE_RELAXED : size.rawDurability
        let status = baseline_sqlite_open(directory + "/raw.sqlite", synchronous, &opened)
        defer { baseline_sqlite_close(opened) }
        guard status == BASELINE_OK, let context = opened else { throw failure(opened) }
        let check = { (status: baseline_status) throws in
            guard status == BASELINE_OK else { throw failure(context) }
        }
        let generator = PostGenerator(workload)
        let numbers = 0..<size.records
        var size = size
        if workload == .savers { size.batch = 1 }
        let save = { (revision: Int, meter: Meter) throws in
            try RawWork.write(generator, numbers, size, revision: revision, meter) {
                try check(baseline_sqlite_save(context, $0, $1, size.batch, $2))
            }
        }
        if workload == .append {
            return try RawWork.write(generator, numbers, size, meter) {
                try check(baseline_sqlite_append(context, $0, $1, size.batch, $2))
            }
        }
        let isSetUp = ![.loadRandom, .loadOrdered, .savers].contains(workload)
        let load = try save(0, isSetUp ? .off : meter)
        // Without a checkpoint, closing would write the WAL of the set-up, and these bytes would count as a cost of the work.
        if isSetUp { try check(baseline_sqlite_checkpoint(context)) }
        switch workload {
        case .loadRandom, .loadOrdered, .savers: return load
        case .update: return try save(1, meter)
        case .pointRead:
            return try RawWork.point(generator, size, meter) { keys, post, latencies in
                try check(baseline_sqlite_read(context, keys, size.operations, post, latencies))
            }.touching(size.operations, like: load)
        case .scan:
            return try RawWork.scan(size, meter) { bound, posts, capacity, matched in
                try check(baseline_sqlite_scan(context, bound, posts, capacity, matched))
            }.touching(size.records, like: load)
        case .indexRange:
            let (range, rows) = try RawWork.range(size, meter) { bounds, posts, rows, latencies in
                try check(
                    baseline_sqlite_range(
                        context, bounds, size.operations, Workload.rangeLimit, posts, rows, latencies))
            }
            return range.touching(rows, like: load)
        case .ycsbA:
            return try RawWork.mix(generator, size, meter) { records, operations, post, latencies in
                try check(baseline_sqlite_mix(context, records, operations, size.operations, post, latencies))
            }
        case .append, .rebuild, .growth, .open, .codec, .server, .sync, .syncDelayed: return nil
        }
    }

    private func failure(_ context: OpaquePointer?) -> UsageError {
        UsageError("raw SQLite: " + (context.map { String(cString: baseline_sqlite_message($0)) } ?? "out of memory"))
    }
}
