import Foundation

/// What one engine did in one round of a workload.
struct Measurement: Sendable {
    /// Records, reads, queries or rows: what the workload counts.
    var operations = 0
    /// The time of the operations alone; what makes their records is not in it.
    var seconds = 0.0
    /// Nanoseconds of each call, if the workload times calls.
    var latencies: [UInt64] = []
    /// Nanoseconds until the first of many clients had heard of each call, if there are such.
    var firstLatencies: [UInt64] = []
    /// How many records the timed work wrote or, where it wrote none, read.
    var recordCount = 0
    /// The bytes of those records as rows encode them.
    var logicalBytes = 0
    var cost = Cost()
    /// Blocks of memory per row that a scan rejects.
    var allocationsPerRejectedRow: Double?
    /// The rate of the second half of the work to that of the first half, if the workload asks for it.
    var secondToFirstHalf: Double?

    /// The latency below which `fraction` of the calls stayed, in microseconds.
    func percentile(_ fraction: Double, of latencies: [UInt64]) -> Double? {
        guard !latencies.isEmpty else { return nil }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1_000
    }

    /// The same, with operations and seconds taken from the latencies.
    func summed() -> Measurement {
        var copy = self
        copy.operations = latencies.count
        copy.seconds = Double(latencies.reduce(0, +)) / 1e9
        return copy
    }

    /// The same, of work that touched `count` records as large as those of `load` on average.
    func touching(_ count: Int, like load: Measurement) -> Measurement {
        var copy = self
        copy.recordCount = count
        copy.logicalBytes = load.recordCount > 0 ? count * load.logicalBytes / load.recordCount : 0
        return copy
    }
}

/// What a measurement says, without the single latencies.
struct Round: Codable, Sendable {
    var opsPerSecond: Double
    var p50Micros: Double?
    var p99Micros: Double?
    var firstMicros: Double?
    var bytesPerRecord: Double
    var writtenPerLogicalByte: Double
    var peakAnonymousBytes: Double
    var syncsPerOperation: Double
    var allocationsPerRejectedRow: Double?
    var secondToFirstHalf: Double?

    init(_ measurement: Measurement) {
        func quotient(_ dividend: Int, _ divisor: Int) -> Double {
            divisor > 0 ? Double(dividend) / Double(divisor) : 0
        }
        opsPerSecond = measurement.seconds > 0 ? Double(measurement.operations) / measurement.seconds : 0
        p50Micros = measurement.percentile(0.5, of: measurement.latencies)
        p99Micros = measurement.percentile(0.99, of: measurement.latencies)
        firstMicros = measurement.percentile(0.5, of: measurement.firstLatencies)
        bytesPerRecord = quotient(measurement.logicalBytes, measurement.recordCount)
        writtenPerLogicalByte = quotient(measurement.cost.deviceBytes, measurement.logicalBytes)
        peakAnonymousBytes = Double(measurement.cost.peakAnonymousBytes)
        syncsPerOperation = quotient(measurement.cost.syncs, measurement.operations)
        allocationsPerRejectedRow = measurement.allocationsPerRejectedRow
        secondToFirstHalf = measurement.secondToFirstHalf
    }
}

enum Clock {
    /// Nanoseconds of the monotonic clock.
    @inline(__always)
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension [Double] {
    /// The middle one, 0 if there is none.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
