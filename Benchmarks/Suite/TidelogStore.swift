import Foundation
import Tidelog

/// An open store. This file contains its writes.
struct TidelogStore: GrowingStore {
    let store: DataStore

    func close() async throws { try await store.close() }

    func count() async throws -> Int { try await store.count(Post.all) }

    func load(
        _ generator: PostGenerator, _ numbers: Range<Int>, _ size: WorkloadSize, _ meter: Meter
    ) async throws -> Measurement {
        try await save(generator, numbers, size, revision: 0, meter)
    }

    /// Saves all posts, one batch per call.
    func save(
        _ generator: PostGenerator, _ numbers: Range<Int>, _ size: WorkloadSize, revision: Int, _ meter: Meter
    ) async throws -> Measurement {
        var measurement = Measurement()
        var chunks = PostChunks(generator, numbers, batch: size.batch, revision: revision)
        while let posts = chunks.next() {
            let batches = stride(from: 0, to: posts.count, by: size.batch).map {
                Array(posts[$0..<min($0 + size.batch, posts.count)])
            }
            measurement.latencies.reserveCapacity(measurement.latencies.count + batches.count)
            meter.resume()
            for batch in batches {
                let began = Clock.now()
                try await store.save(batch)
                measurement.latencies.append(Clock.now() - began)
            }
            meter.pause()
        }
        meter.resume()
        let remainder = try await projectWaiting()
        meter.pause()
        measurement = measurement.summed()
        measurement.seconds += remainder
        measurement.operations = numbers.count
        measurement.recordCount = numbers.count
        measurement.logicalBytes = chunks.logicalBytes
        return measurement
    }

    /// Saves posts in several tasks at the same time. Each task saves one record per call.
    func saveConcurrently(
        _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter, _ setting: TidelogEngine.Setting
    ) async throws -> Measurement {
        let followers = setting == .observed ? try await follow() : []
        defer { for follower in followers { follower.cancel() } }
        var measurement = Measurement()
        var chunks = PostChunks(generator, 0..<size.records, batch: size.records)
        let posts = chunks.next() ?? []
        let perSaver = posts.count / size.savers
        meter.resume()
        let began = Clock.now()
        if size.savers == 1 {
            measurement.latencies = try await save(posts[...], on: setting == .mainActor ? MainActor.shared : nil)
        } else {
            measurement.latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for saver in 0..<size.savers {
                    group.addTask { try await save(posts[saver * perSaver..<(saver + 1) * perSaver], on: nil) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        _ = try await projectWaiting()
        let seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        measurement.operations = measurement.latencies.count
        measurement.seconds = seconds
        measurement.recordCount = measurement.operations
        measurement.logicalBytes = chunks.logicalBytes * measurement.operations / max(1, posts.count)
        return measurement
    }

    /// Makes the store project its unprojected events, which belongs to the work. Returns how many seconds this took.
    func projectWaiting() async throws -> Double {
        let began = Clock.now()
        try await store.read { _ in }
        return Double(Clock.now() - began) / 1e9
    }

    /// Starts an observer of every change, and a live query for the best of a tenth of the posts. Both are active when this
    /// method returns.
    private func follow() async throws -> [Task<Void, any Error>] {
        let changes = store.changes(of: Post.all)
        let results = store.observe(
            Post.where(Post.keys.rating < PostGenerator.ratingCount / 10).sorted(by: .ascending(Post.keys.rating)).page(
                .first(Workload.rangeLimit)))
        let (begun, began) = AsyncStream<Void>.makeStream()
        let followers = [
            Task { for try await _ in changes {} },
            Task { for try await _ in results { began.yield() } },
        ]
        for await _ in begun { break }
        return followers
    }

    /// Saves `posts`, one per call, from the actor `caller`.
    private func save(_ posts: ArraySlice<Post>, on caller: isolated (any Actor)?) async throws -> [UInt64] {
        var latencies: [UInt64] = []
        latencies.reserveCapacity(posts.count)
        for post in posts {
            let start = Clock.now()
            try await store.save(post)
            latencies.append(Clock.now() - start)
        }
        return latencies
    }
}
