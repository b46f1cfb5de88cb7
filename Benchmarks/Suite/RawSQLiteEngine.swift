internal import CBaselines
import Tidelog

/// Table and log in one SQLite file, in C.
struct RawSQLiteEngine: BenchmarkEngine {
    let name = "raw-sqlite"

    func run(
        _ workload: Options.Workload, _ size: WorkloadSize, in directory: String
    ) async throws -> Measurement? {
        var context: OpaquePointer?
        let status = baseline_sqlite_open(directory + "/raw.sqlite", size.durability.baseline, &context)
        defer { baseline_sqlite_close(context) }
        guard status == BASELINE_OK, let context else { throw failure(context) }
        let check = { (status: baseline_status) throws in
            guard status == BASELINE_OK else { throw failure(context) }
        }
        let generator = PostGenerator(workload)
        if workload == .append {
            return try RawReads.write(generator, size, revision: 0) {
                try check(baseline_sqlite_append(context, $0, $1, size.batch, $2))
            }
        }
        var size = size
        if workload == .savers { size.batch = 1 }
        let load = try RawReads.write(generator, size, revision: 0) {
            try check(baseline_sqlite_save(context, $0, $1, size.batch, $2))
        }
        switch workload {
        case .loadRandom, .loadOrdered, .savers: return load
        case .update:
            return try RawReads.write(generator, size, revision: 1) {
                try check(baseline_sqlite_save(context, $0, $1, size.batch, $2))
            }
        case .pointRead:
            return try RawReads.point(generator, size) { keys, post, latencies in
                try check(baseline_sqlite_read(context, keys, size.operations, post, latencies))
            }
        case .scan:
            return try RawReads.scan(size) { bound, posts, capacity, matched in
                try check(baseline_sqlite_scan(context, bound, posts, capacity, matched))
            }
        case .indexRange:
            return try RawReads.range(size) { bounds, posts, rows, latencies in
                try check(baseline_sqlite_range(context, bounds, size.operations, 100, posts, rows, latencies))
            }
        case .ycsbA:
            return try RawReads.mix(generator, size) { records, operations, post, latencies in
                try check(baseline_sqlite_mix(context, records, operations, size.operations, post, latencies))
            }
        case .append, .rebuild: return nil
        }
    }

    private func failure(_ context: OpaquePointer?) -> UsageError {
        UsageError("raw SQLite: " + (context.map { String(cString: baseline_sqlite_message($0)) } ?? "out of memory"))
    }
}
