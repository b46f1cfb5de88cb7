internal import CBaselines
import Foundation
import Tidelog

/// The statements and pragmas that Amplify DataStore issues for each save, listed in docs/BENCHMARKS.md.
struct AmplifyEngine: BenchmarkEngine {
    let usesWAL: Bool

    var name: String { usesWAL ? "amplify-path-wal" : "amplify-path" }

    /// The saves of this engine are slow, and they get slower as its outbox grows. It is therefore measured on fewer records.
    private static let maximumCount = 2_000

    func takesPart(in workload: Workload) -> Bool { workload == .savers || workload == .pointRead }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) throws -> Measurement? {
        guard takesPart(in: workload) else { return nil }
        var context: OpaquePointer?
        let status = baseline_amplify_open(directory + "/amplify.sqlite", usesWAL, &context)
        defer { baseline_amplify_close(context) }
        guard status == BASELINE_OK, let context else { throw failure(context) }
        var size = size
        size.batch = 1
        size.records = min(size.records, Self.maximumCount)
        let generator = PostGenerator(workload)
        let isTimed = workload == .savers
        // Reads do not use the outbox. Their set-up therefore saves the posts as if they were not synced.
        let save = try RawWork.write(generator, 0..<size.records, size, isTimed ? meter : .off) {
            guard baseline_amplify_save(context, $0, $1, isTimed, $2) == BASELINE_OK else { throw failure(context) }
        }
        if isTimed { return save }
        let read = try read(context, generator, size, meter)
        return read.touching(read.operations, like: save)
    }

    /// Queries by id: the statement in C, and then the same work that Amplify does with a row (a dictionary, JSON bytes, a
    /// decoder).
    private func read(
        _ context: OpaquePointer, _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter
    ) throws -> Measurement {
        var pattern = AccessPattern(count: size.records)
        var measurement = Measurement()
        meter.resume()
        for _ in 0..<min(size.operations, 20_000) {
            let identifier = generator.identifier(pattern.uniform())
            var post = baseline_post()
            let start = Clock.now()
            let status = Array(identifier.utf8).withUnsafeBufferPointer {
                baseline_amplify_read(context, $0.baseAddress, 1, &post, nil)
            }
            guard status == BASELINE_OK else { throw failure(context) }
            let json = try JSONSerialization.data(withJSONObject: [row(identifier, &post)])
            guard try JSONDecoder().decode([DecodedPost].self, from: json).first?.id == identifier else {
                throw UsageError("the Amplify path read another post")
            }
            measurement.latencies.append(Clock.now() - start)
        }
        meter.pause()
        return measurement.summed()
    }

    private struct DecodedPost: Decodable {
        let id: String
        let title: String
        let content: String
        let rating: Int
        let status: String
        let createdAt: String
        let updatedAt: String
    }

    private func row(_ identifier: String, _ post: inout baseline_post) -> [String: Any] {
        func text(_ field: baseline_field) -> String {
            let text = baseline_post_text(&post, field)
            return String(decoding: UnsafeBufferPointer(start: text.bytes, count: Int(text.length)), as: UTF8.self)
        }
        return [
            "id": identifier, "title": text(BASELINE_TITLE), "content": text(BASELINE_CONTENT),
            "rating": Int(post.rating), "status": text(BASELINE_STATUS_FIELD), "createdAt": text(BASELINE_CREATED_AT),
            "updatedAt": text(BASELINE_UPDATED_AT),
        ]
    }

    private func failure(_ context: OpaquePointer?) -> UsageError {
        UsageError(
            "Amplify path: " + (context.map { String(cString: baseline_amplify_message($0)) } ?? "out of memory"))
    }
}
