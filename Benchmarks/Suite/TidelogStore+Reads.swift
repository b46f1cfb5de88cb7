internal import CAllocationCounter
import Tidelog

extension TidelogStore {
    /// Queries by id, called from `caller`.
    func read(
        _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter, on caller: isolated (any Actor)?
    ) async throws -> Measurement {
        var measurement = Measurement()
        var pattern = AccessPattern(count: size.records)
        let identifiers = (0..<size.operations).map { _ in generator.identifier(pattern.uniform()) }
        measurement.latencies.reserveCapacity(identifiers.count)
        meter.resume()
        for identifier in identifiers {
            let start = Clock.now()
            guard try await store.query(Post.self, id: identifier) != nil else {
                throw UsageError("a record that was saved is not there")
            }
            measurement.latencies.append(Clock.now() - start)
        }
        meter.pause()
        return measurement.summed()
    }

    /// Whether the store has exactly the posts 0 ..< `count` of `sync`. Up to a thousand of them are compared in detail.
    func hasPosts(_ count: Int) async throws -> Bool {
        guard try await self.count() == count else { return false }
        let generator = PostGenerator(.sync)
        for number in stride(from: 0, to: count, by: max(1, count / 1_000)) {
            let post = generator.post(number)
            guard try await store.query(Post.self, id: post.id) == post else { return false }
        }
        return true
    }

    /// Runs the scan, and then a scan whose bound is below every rating, to count the allocations per rejected row.
    func scan(_ size: WorkloadSize, _ meter: Meter) async throws -> Measurement {
        var measurement = Measurement()
        meter.resume()
        let began = Clock.now()
        // The rows come from the table in the order of their keys, because a range that is open at one end does not use the
        // index.
        let posts = try await store.query(Post.self, where: Post.keys.rating < PostGenerator.scanBound)
        measurement.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        guard posts.count > size.records / 10 else { throw UsageError("the scan found too little") }
        measurement.operations = size.records
        measurement.allocationsPerRejectedRow = try await store.read { snapshot in
            let nothing = Post.keys.rating < 0
            let plan = try snapshot.plan(Post.where(nothing))
            guard plan.index == nil else { throw UsageError("the scan is none: \(plan.summary)") }
            let before = allocation_counter_blocks()
            let posts = try snapshot.fetch(Post.where(nothing))
            let blocks = allocation_counter_blocks() - before
            guard posts.isEmpty else { throw UsageError("the scan found a missing record") }
            return allocation_counter_works() ? Double(blocks) / Double(size.records) : nil
        }
        return measurement
    }

    /// Queries ranges of the index. `rows` is the number of posts that all queries returned together.
    func range(_ size: WorkloadSize, _ meter: Meter) async throws -> (measurement: Measurement, rows: Int) {
        var measurement = Measurement()
        var rows = 0
        var pattern = AccessPattern(count: PostGenerator.ratingCount * 9 / 10)
        measurement.latencies.reserveCapacity(size.operations)
        meter.resume()
        for _ in 0..<size.operations {
            let bound = pattern.uniform()
            let start = Clock.now()
            let posts = try await store.query(
                Post.self, where: Post.keys.rating >= bound, sort: .ascending(Post.keys.rating),
                page: .first(Workload.rangeLimit))
            measurement.latencies.append(Clock.now() - start)
            rows += posts.count
        }
        meter.pause()
        guard rows <= size.operations * Workload.rangeLimit else { throw UsageError("the range returned too much") }
        return (measurement.summed(), rows)
    }

    func mix(_ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter) async throws -> Measurement {
        let steps = MixSteps(generator, size)
        var measurement = Measurement()
        measurement.latencies.reserveCapacity(steps.posts.count)
        meter.resume()
        for (post, isUpdate) in zip(steps.posts, steps.areUpdates) {
            let start = Clock.now()
            if isUpdate {
                try await store.save(post)
            } else {
                _ = try await store.query(Post.self, id: post.id)
            }
            measurement.latencies.append(Clock.now() - start)
        }
        let remainder = try await projectWaiting()
        meter.pause()
        measurement = measurement.summed()
        measurement.seconds += remainder
        return steps.accounted(measurement)
    }
}
