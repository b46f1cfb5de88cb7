internal import CBaselines
import Tidelog

/// What the raw engines share: making the bytes, calling the C side, and timing it.
enum RawReads {
    /// How many records are made at a time, outside the timing.
    private static let chunk = 100_000

    static func write(
        _ generator: PostGenerator, _ size: WorkloadSize, revision: Int,
        _ body: (UnsafePointer<baseline_record>, Int, UnsafeMutablePointer<UInt64>) throws -> Void
    ) throws -> Measurement {
        var measurement = Measurement()
        var pattern = AccessPattern(count: size.records)
        let written = Device.writtenBytes()
        let chunk = max(Self.chunk / size.batch * size.batch, size.batch)
        for start in stride(from: 0, to: size.records, by: chunk) {
            let numbers = start..<min(start + chunk, size.records)
            let raw = try RawRecords(
                numbers.map { generator.post(revision == 0 ? $0 : pattern.uniform(), revision: revision) })
            var latencies = [UInt64](repeating: 0, count: (numbers.count + size.batch - 1) / size.batch)
            let memory = MemorySampler()
            let began = Clock.now()
            try raw.records.withUnsafeBufferPointer { records in
                guard let base = records.baseAddress else { return }
                try body(base, records.count, &latencies)
            }
            measurement.seconds += Double(Clock.now() - began) / 1e9
            measurement.peakAnonymousBytes = max(measurement.peakAnonymousBytes, memory.stop())
            measurement.latencies += latencies
            measurement.logicalBytes += UInt64(raw.logicalByteCount)
        }
        measurement.operations = size.records
        measurement.deviceBytes = Device.writtenBytes() &- written
        measurement.syncs = Double(measurement.latencies.count * size.durability.syncsPerCommit)
        return measurement
    }

    static func point(
        _ generator: PostGenerator, _ size: WorkloadSize,
        _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<baseline_post>, UnsafeMutablePointer<UInt64>) throws -> Void
    ) throws -> Measurement {
        var pattern = AccessPattern(count: size.records)
        var keys: [UInt8] = []
        keys.reserveCapacity(size.operations * 16)
        for _ in 0..<size.operations {
            let (high, low) = generator.key(pattern.uniform())
            withUnsafeBytes(of: high.bigEndian) { keys += $0 }
            withUnsafeBytes(of: low.bigEndian) { keys += $0 }
        }
        var measurement = Measurement()
        var post = baseline_post()
        measurement.latencies = [UInt64](repeating: 0, count: size.operations)
        try body(keys, &post, &measurement.latencies)
        return measurement.summed()
    }

    static func scan(
        _ size: WorkloadSize,
        _ body: (Int64, UnsafeMutablePointer<baseline_post>, Int, UnsafeMutablePointer<Int>) throws -> Void
    ) throws -> Measurement {
        let capacity = size.records / 5
        let posts = UnsafeMutablePointer<baseline_post>.allocate(capacity: capacity)
        defer { posts.deallocate() }
        var matched = 0
        var measurement = Measurement()
        let began = Clock.now()
        try body(Int64(PostGenerator.ratingCount * 15 / 100), posts, capacity, &matched)
        measurement.seconds = Double(Clock.now() - began) / 1e9
        measurement.operations = size.records
        return measurement
    }

    static func range(
        _ size: WorkloadSize,
        _ body: (
            UnsafePointer<Int64>, UnsafeMutablePointer<baseline_post>, UnsafeMutablePointer<Int>,
            UnsafeMutablePointer<UInt64>
        ) throws -> Void
    ) throws -> Measurement {
        var pattern = AccessPattern(count: PostGenerator.ratingCount * 9 / 10)
        let bounds = (0..<size.operations).map { _ in Int64(pattern.uniform()) }
        var posts = [baseline_post](repeating: baseline_post(), count: 100)
        var rows = 0
        var measurement = Measurement()
        measurement.latencies = [UInt64](repeating: 0, count: size.operations)
        try body(bounds, &posts, &rows, &measurement.latencies)
        return measurement.summed()
    }

    static func mix(
        _ generator: PostGenerator, _ size: WorkloadSize,
        _ body: (
            UnsafePointer<baseline_record>, UnsafePointer<baseline_operation>, UnsafeMutablePointer<baseline_post>,
            UnsafeMutablePointer<UInt64>
        ) throws -> Void
    ) throws -> Measurement {
        var pattern = AccessPattern(count: size.records)
        var posts: [Post] = []
        var operations: [baseline_operation] = []
        for operation in 0..<size.operations {
            let number = pattern.zipf()
            let isUpdate = pattern.coin()
            posts.append(generator.post(number, revision: isUpdate ? operation + 1 : 0))
            operations.append(baseline_operation(record: UInt32(operation), is_update: isUpdate))
        }
        let raw = try RawRecords(posts)
        var post = baseline_post()
        var measurement = Measurement()
        measurement.latencies = [UInt64](repeating: 0, count: size.operations)
        try body(raw.records, operations, &post, &measurement.latencies)
        return measurement.summed()
    }
}
