import Foundation

/// The measurement of one engine in one round of a workload.
struct Measurement: Sendable {
    /// The number of operations that the workload counts: records, reads, queries or rows.
    var operations = 0
    /// The time of the operations alone. It does not include the time for making their records.
    var seconds = 0.0
    /// Nanoseconds of each call, if the workload times calls.
    var latencies: [UInt64] = []
    /// For each call, the nanoseconds until the first of many clients received it, if the workload has many clients.
    var firstLatencies: [UInt64] = []
    /// How many records the timed work wrote. If it wrote none, how many it read.
    var recordCount = 0
    /// The size of those records as encoded rows, in bytes.
    var logicalBytes = 0
    var cost = Cost()
    /// The number of memory blocks that a scan allocates per rejected row.
    var allocationsPerRejectedRow: Double?
    /// The ratio of the rate of the work's second half to that of its first half, if the workload needs it.
    var secondToFirstHalf: Double?

    /// The latency in microseconds that `fraction` of the calls did not exceed.
    func percentile(_ fraction: Double, of latencies: [UInt64]) -> Double? {
        guard !latencies.isEmpty else { return nil }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1_000
    }

    /// This measurement with its operations and seconds computed from the latencies.
    func summed() -> Measurement {
        var copy = self
        copy.operations = latencies.count
        copy.seconds = Double(latencies.reduce(0, +)) / 1e9
        return copy
    }

    /// This measurement for work on `count` records with the average size of the records of `load`.
    func touching(_ count: Int, like load: Measurement) -> Measurement {
        var copy = self
        copy.recordCount = count
        copy.logicalBytes = load.recordCount > 0 ? count * load.logicalBytes / load.recordCount : 0
        return copy
    }
}

/// The figures of a measurement, without the individual latencies.
struct Round: Codable, Sendable {
    var opsPerSecond: Double
    var p50Micros: Double?
    var p99Micros: Double?
    var firstMicros: Double?
    var bytesPerRecord: Double
    var writtenPerLogicalByte: Double
    var peakAnonymousBytes: Double
    var syncsPerOperation: Double
    var processorMicros: Double
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
        processorMicros =
            measurement.operations > 0 ? measurement.cost.processorSeconds * 1e6 / Double(measurement.operations) : 0
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
    /// The median; 0 for an empty array.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
