import Foundation
import Tidelog

/// Tidelog through its public API, as an app uses it.
struct TidelogEngine: BenchmarkEngine {
    let adapter: Options.Adapter

    var name: String { "tidelog" }

    private var factory: AdapterFactory { adapter == .lmdb ? .lmdb() : .sqlite() }

    func run(
        _ workload: Options.Workload, _ size: WorkloadSize, in directory: String
    ) async throws -> Measurement? {
        let generator = PostGenerator(workload)
        let path = directory + "/store"
        let store = try await open(path, size, workload == .append ? .discarding : factory)
        var measurement: Measurement
        switch workload {
        case .append, .loadRandom, .loadOrdered:
            measurement = try await save(store, generator, size, revision: 0)
        case .update:
            _ = try await save(store, generator, size, revision: 0)
            measurement = try await save(store, generator, size, revision: 1)
        case .savers: measurement = try await saveConcurrently(store, generator, size)
        case .pointRead:
            _ = try await save(store, generator, size, revision: 0)
            measurement = try await read(store, generator, size)
        case .scan:
            _ = try await save(store, generator, size, revision: 0)
            measurement = try await scan(store, size)
        case .indexRange:
            _ = try await save(store, generator, size, revision: 0)
            measurement = try await range(store, size)
        case .ycsbA:
            _ = try await save(store, generator, size, revision: 0)
            measurement = try await mix(store, generator, size)
        case .rebuild:
            _ = try await save(store, generator, size, revision: 0)
            return try await rebuild(store, path, size)
        }
        try await store.close()
        return measurement
    }

    private func open(_ path: String, _ size: WorkloadSize, _ factory: AdapterFactory) async throws -> DataStore {
        try await DataStore.open(
            at: URL(fileURLWithPath: path), schema: postSchema, adapter: factory,
            configuration: DataStoreConfiguration(durability: size.durability))
    }

    /// Saves all posts, a batch a call; what makes the posts is not timed.
    private func save(
        _ store: DataStore, _ generator: PostGenerator, _ size: WorkloadSize, revision: Int
    ) async throws -> Measurement {
        var measurement = Measurement()
        let written = Device.writtenBytes()
        let memory = MemorySampler()
        let order = revision == 0 ? nil : AccessPattern(count: size.records)
        var pattern = order ?? AccessPattern(count: size.records)
        for start in stride(from: 0, to: size.records, by: size.batch) {
            let numbers = start..<min(start + size.batch, size.records)
            let posts = numbers.map { number in
                generator.post(order == nil ? number : pattern.uniform(), revision: revision)
            }
            let began = Clock.now()
            try await store.save(posts)
            let ended = Clock.now()
            measurement.latencies.append(ended - began)
            measurement.seconds += Double(ended - began) / 1e9
        }
        measurement.operations = size.records
        measurement.peakAnonymousBytes = memory.stop()
        measurement.deviceBytes = Device.writtenBytes() &- written
        measurement.syncs = Double(measurement.latencies.count * size.durability.syncsPerCommit)
        return measurement
    }

    /// Many tasks, each saving one record a call.
    private func saveConcurrently(
        _ store: DataStore, _ generator: PostGenerator, _ size: WorkloadSize
    ) async throws -> Measurement {
        var measurement = Measurement()
        let perSaver = size.records / size.savers
        let began = Clock.now()
        if size.savers == 1 {
            for number in 0..<size.records {
                let post = generator.post(number)
                let start = Clock.now()
                try await store.save(post)
                measurement.latencies.append(Clock.now() - start)
            }
        } else {
            measurement.latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for saver in 0..<size.savers {
                    group.addTask {
                        var latencies: [UInt64] = []
                        for number in 0..<perSaver {
                            let post = generator.post(saver * perSaver + number)
                            let start = Clock.now()
                            try await store.save(post)
                            latencies.append(Clock.now() - start)
                        }
                        return latencies
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        measurement.operations = measurement.latencies.count
        measurement.seconds =
            size.savers == 1
            ? Double(measurement.latencies.reduce(0, +)) / 1e9 : Double(Clock.now() - began) / 1e9
        return measurement
    }

    private func read(
        _ store: DataStore, _ generator: PostGenerator, _ size: WorkloadSize
    ) async throws -> Measurement {
        var measurement = Measurement()
        var pattern = AccessPattern(count: size.records)
        let identifiers = (0..<size.operations).map { _ in generator.identifier(pattern.uniform()) }
        measurement.latencies.reserveCapacity(identifiers.count)
        for identifier in identifiers {
            let start = Clock.now()
            guard try await store.query(Post.self, id: identifier) != nil else {
                throw UsageError("a record that was saved is not there")
            }
            measurement.latencies.append(Clock.now() - start)
        }
        return measurement.summed()
    }

    private func scan(_ store: DataStore, _ size: WorkloadSize) async throws -> Measurement {
        var measurement = Measurement()
        let bound = PostGenerator.ratingCount * 15 / 100
        let began = Clock.now()
        // A sort by key asks for the table: the index on the rating would be another job.
        let posts = try await store.query(Post.self, where: Post.keys.rating < bound)
        measurement.seconds = Double(Clock.now() - began) / 1e9
        guard posts.count > size.records / 10 else { throw UsageError("the scan found too little") }
        measurement.operations = size.records
        return measurement
    }

    private func range(_ store: DataStore, _ size: WorkloadSize) async throws -> Measurement {
        var measurement = Measurement()
        var pattern = AccessPattern(count: PostGenerator.ratingCount * 9 / 10)
        for _ in 0..<size.operations {
            let bound = pattern.uniform()
            let start = Clock.now()
            let posts = try await store.query(
                Post.self, where: Post.keys.rating >= bound, sort: .ascending(Post.keys.rating), page: .first(100))
            measurement.latencies.append(Clock.now() - start)
            guard posts.count <= 100 else { throw UsageError("the range returned too much") }
        }
        return measurement.summed()
    }

    private func mix(
        _ store: DataStore, _ generator: PostGenerator, _ size: WorkloadSize
    ) async throws -> Measurement {
        var measurement = Measurement()
        var pattern = AccessPattern(count: size.records)
        for operation in 0..<size.operations {
            let number = pattern.zipf()
            if pattern.coin() {
                let post = generator.post(number, revision: operation + 1)
                let start = Clock.now()
                try await store.save(post)
                measurement.latencies.append(Clock.now() - start)
            } else {
                let identifier = generator.identifier(number)
                let start = Clock.now()
                _ = try await store.query(Post.self, id: identifier)
                measurement.latencies.append(Clock.now() - start)
            }
        }
        return measurement.summed()
    }

    /// Rows that are gone are made anew when the store opens.
    private func rebuild(_ store: DataStore, _ path: String, _ size: WorkloadSize) async throws -> Measurement {
        try await store.close()
        try FileManager.default.removeItem(atPath: path + "/generation-1/rows-1")
        let memory = MemorySampler()
        let began = Clock.now()
        let reopened = try await open(path, size, factory)
        var measurement = Measurement()
        measurement.seconds = Double(Clock.now() - began) / 1e9
        measurement.peakAnonymousBytes = memory.stop()
        measurement.operations = try await reopened.count(Post.self)
        try await reopened.close()
        return measurement
    }
}

extension Measurement {
    /// The same, with operations and seconds taken from the latencies.
    func summed() -> Measurement {
        var copy = self
        copy.operations = latencies.count
        copy.seconds = Double(latencies.reduce(0, +)) / 1e9
        return copy
    }
}

extension Durability {
    /// How many times a commit of LMDB waits for the device.
    var syncsPerCommit: Int {
        switch self {
        case .full: 2
        case .relaxed: 1
        case .unsynced: 0
        }
    }
}
