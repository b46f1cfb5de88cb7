internal import CAllocationCounter
internal import CBaselines
import Tidelog

/// The common work of the engines in C: making the bytes, calling the C side, and measuring the time.
enum RawWork {
    typealias Latencies = UnsafeMutablePointer<UInt64>

    /// Saves posts in chunks, as all engines do.
    static func write(
        _ generator: PostGenerator, _ numbers: Range<Int>, _ size: WorkloadSize, revision: Int = 0, _ meter: Meter,
        _ body: (UnsafePointer<baseline_record>, Int, Latencies) throws -> Void
    ) throws -> Measurement {
        var measurement = Measurement()
        var chunks = PostChunks(generator, numbers, batch: size.batch, revision: revision)
        let raw = RawRecords(capacity: PostChunks.count(batch: size.batch))
        while let posts = chunks.next() {
            try raw.fill(posts)
            var latencies = [UInt64](repeating: 0, count: (posts.count + size.batch - 1) / size.batch)
            meter.resume()
            let began = Clock.now()
            try raw.records.withUnsafeBufferPointer { records in
                guard let base = records.baseAddress else { return }
                try body(base, records.count, &latencies)
            }
            measurement.seconds += Double(Clock.now() - began) / 1e9
            meter.pause()
            measurement.latencies += latencies
        }
        measurement.operations = numbers.count
        measurement.recordCount = numbers.count
        measurement.logicalBytes = chunks.logicalBytes
        return measurement
    }

    static func point(
        _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter,
        _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<baseline_post>, Latencies) throws -> Void
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
        meter.resume()
        try body(keys, &post, &measurement.latencies)
        meter.pause()
        return measurement.summed()
    }

    /// Runs the scan, and then a scan whose bound is below every rating, to count the allocations per rejected row.
    static func scan(
        _ size: WorkloadSize, _ meter: Meter,
        _ body: (Int64, UnsafeMutablePointer<baseline_post>, Int, UnsafeMutablePointer<Int>) throws -> Void
    ) throws -> Measurement {
        let capacity = size.records / 5
        let posts = UnsafeMutablePointer<baseline_post>.allocate(capacity: capacity)
        defer { posts.deallocate() }
        var matched = 0
        var measurement = Measurement()
        meter.resume()
        let began = Clock.now()
        try body(Int64(PostGenerator.scanBound), posts, capacity, &matched)
        measurement.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        guard matched > size.records / 10 else { throw UsageError("the scan found too little") }
        measurement.operations = size.records
        let before = allocation_counter_blocks()
        try body(0, posts, capacity, &matched)
        let blocks = allocation_counter_blocks() - before
        guard matched == 0 else { throw UsageError("the scan found a missing record") }
        measurement.allocationsPerRejectedRow =
            allocation_counter_works() ? Double(blocks) / Double(size.records) : nil
        return measurement
    }

    /// Queries ranges of the index. `rows` is the number of posts that all queries returned together.
    static func range(
        _ size: WorkloadSize, _ meter: Meter,
        _ body: (
            UnsafePointer<Int64>, UnsafeMutablePointer<baseline_post>, UnsafeMutablePointer<Int>, Latencies
        ) throws -> Void
    ) throws -> (measurement: Measurement, rows: Int) {
        var pattern = AccessPattern(count: PostGenerator.ratingCount * 9 / 10)
        let bounds = (0..<size.operations).map { _ in Int64(pattern.uniform()) }
        var posts = [baseline_post](repeating: baseline_post(), count: Workload.rangeLimit)
        var rows = 0
        var measurement = Measurement()
        measurement.latencies = [UInt64](repeating: 0, count: size.operations)
        meter.resume()
        try body(bounds, &posts, &rows, &measurement.latencies)
        meter.pause()
        return (measurement.summed(), rows)
    }

    static func mix(
        _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter,
        _ body: (
            UnsafePointer<baseline_record>, UnsafePointer<baseline_operation>, UnsafeMutablePointer<baseline_post>,
            Latencies
        ) throws -> Void
    ) throws -> Measurement {
        let steps = MixSteps(generator, size)
        let raw = RawRecords(capacity: steps.posts.count)
        try raw.fill(steps.posts)
        let operations = steps.areUpdates.enumerated().map {
            baseline_operation(record: UInt32($0), is_update: $1)
        }
        var post = baseline_post()
        var measurement = Measurement()
        measurement.latencies = [UInt64](repeating: 0, count: size.operations)
        meter.resume()
        try body(raw.records, operations, &post, &measurement.latencies)
        meter.pause()
        return steps.accounted(measurement.summed())
    }
}

/// The operations of YCSB A, made before the timing. Half are reads and half are updates, and few records are used often.
struct MixSteps {
    private(set) var posts: [Post] = []
    private(set) var areUpdates: [Bool] = []
    private var logicalBytes = 0

    init(_ generator: PostGenerator, _ size: WorkloadSize) {
        var pattern = AccessPattern(count: size.records)
        let encoder = PostEncoder()
        posts.reserveCapacity(size.operations)
        for operation in 0..<size.operations {
            let number = pattern.zipf()
            let isUpdate = pattern.coin()
            let post = generator.post(number, revision: isUpdate ? operation + 1 : 0)
            if isUpdate { logicalBytes += encoder.encode(post).count }
            posts.append(post)
            areUpdates.append(isUpdate)
        }
    }

    /// The measurement with the records and bytes that the updates wrote.
    func accounted(_ measurement: Measurement) -> Measurement {
        var copy = measurement
        copy.recordCount = areUpdates.count { $0 }
        copy.logicalBytes = logicalBytes
        return copy
    }
}
