internal import CBaselines
import Foundation
import Tidelog

/// Log, table and index in one LMDB environment, in C.
struct RawLMDBEngine: BenchmarkEngine {
    let name = "raw-lmdb"

    func run(
        _ workload: Options.Workload, _ size: WorkloadSize, in directory: String
    ) async throws -> Measurement? {
        let path = directory + "/lmdb"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var context: OpaquePointer?
        var rowLayout = RawRecords.rowLayout
        var eventLayout = RawRecords.eventLayout
        let status = baseline_lmdb_open(
            path, size.durability.baseline, 64 << 30, &rowLayout, &eventLayout, &context)
        defer { baseline_lmdb_close(context) }
        guard status == BASELINE_OK, let context else { throw failure(context) }
        let check = { (status: baseline_status) throws in
            guard status == BASELINE_OK else { throw failure(context) }
        }
        let generator = PostGenerator(workload)
        switch workload {
        case .append:
            return try write(generator, size, revision: 0) {
                try check(baseline_lmdb_append(context, $0, $1, size.batch, $2))
            }
        case .loadRandom, .loadOrdered, .savers:
            var size = size
            if workload == .savers { size.batch = 1 }
            return try write(generator, size, revision: 0) {
                try check(baseline_lmdb_load(context, $0, $1, size.batch, $2))
            }
        default: break
        }
        let load = try write(generator, size, revision: 0) {
            try check(baseline_lmdb_load(context, $0, $1, size.batch, $2))
        }
        switch workload {
        case .update:
            return try write(generator, size, revision: 1) {
                try check(baseline_lmdb_update(context, $0, $1, size.batch, $2))
            }
        case .pointRead:
            return try RawReads.point(generator, size) { keys, post, latencies in
                try check(baseline_lmdb_read(context, keys, size.operations, post, latencies))
            }
        case .scan:
            return try RawReads.scan(size) { bound, posts, capacity, matched in
                try check(baseline_lmdb_scan(context, bound, posts, capacity, matched))
            }
        case .indexRange:
            return try RawReads.range(size) { bounds, posts, rows, latencies in
                try check(baseline_lmdb_range(context, bounds, size.operations, 100, posts, rows, latencies))
            }
        case .ycsbA:
            return try RawReads.mix(generator, size) { records, operations, post, latencies in
                try check(baseline_lmdb_mix(context, records, operations, size.operations, post, latencies))
            }
        case .rebuild:
            // What a rebuild is held to: the same rows loaded from outside, sorted within the batch.
            return load
        default: return nil
        }
    }

    private func write(
        _ generator: PostGenerator, _ size: WorkloadSize, revision: Int,
        _ body: (UnsafePointer<baseline_record>, Int, UnsafeMutablePointer<UInt64>) throws -> Void
    ) throws -> Measurement {
        try RawReads.write(generator, size, revision: revision, body)
    }

    private func failure(_ context: OpaquePointer?) -> UsageError {
        UsageError("raw LMDB: " + (context.map { String(cString: baseline_lmdb_message($0)) } ?? "out of memory"))
    }
}

extension Durability {
    var baseline: baseline_durability {
        switch self {
        case .full: BASELINE_FULL
        case .relaxed: BASELINE_RELAXED
        case .unsynced: BASELINE_UNSYNCED
        }
    }
}
