internal import CBaselines
import Tidelog

/// The statements and pragmas that Amplify DataStore issues for each save, listed in docs/BENCHMARKS.md.
struct AmplifyEngine: BenchmarkEngine {
    let usesWAL: Bool

    var name: String { usesWAL ? "amplify-path-wal" : "amplify-path" }

    /// Its saves are slow and get slower as its outbox grows: it is measured on fewer.
    private static let maximumCount = 2_000

    func run(
        _ workload: Options.Workload, _ size: WorkloadSize, in directory: String
    ) async throws -> Measurement? {
        guard workload == .savers || workload == .pointRead else { return nil }
        var context: OpaquePointer?
        let status = baseline_amplify_open(directory + "/amplify.sqlite", usesWAL, &context)
        defer { baseline_amplify_close(context) }
        guard status == BASELINE_OK, let context else { throw failure(context) }
        var size = size
        size.batch = 1
        size.records = min(size.records, Self.maximumCount)
        let generator = PostGenerator(workload)
        let save = try RawReads.write(generator, size, revision: 0) {
            guard baseline_amplify_save(context, $0, $1, true, $2) == BASELINE_OK else { throw failure(context) }
        }
        if workload == .savers { return save }
        var pattern = AccessPattern(count: size.records)
        let count = min(size.operations, 20_000)
        let identifiers = (0..<count).flatMap { _ in Array(generator.identifier(pattern.uniform()).utf8) }
        var post = baseline_post()
        var measurement = Measurement()
        measurement.latencies = [UInt64](repeating: 0, count: count)
        guard baseline_amplify_read(context, identifiers, count, &post, &measurement.latencies) == BASELINE_OK else {
            throw failure(context)
        }
        return measurement.summed()
    }

    private func failure(_ context: OpaquePointer?) -> UsageError {
        UsageError(
            "Amplify path: " + (context.map { String(cString: baseline_amplify_message($0)) } ?? "out of memory"))
    }
}
