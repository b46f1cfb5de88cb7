internal import CBaselines
import Foundation

/// What one engine did in one round of a workload.
struct Measurement: Sendable {
    var operations = 0
    var seconds = 0.0
    var latencies: [UInt64] = []
    var syncs = 0.0
    var deviceBytes: UInt64 = 0
    var logicalBytes: UInt64 = 0
    var peakAnonymousBytes: UInt64 = 0

    var operationsPerSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }

    /// The latency below which `fraction` of the operations stayed, in microseconds.
    func percentile(_ fraction: Double) -> Double? {
        guard !latencies.isEmpty else { return nil }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1_000
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

/// Samples the process's anonymous memory while work runs.
final class MemorySampler: @unchecked Sendable {  // Sound: the peak is read after the thread has ended.
    private let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var isRunning = true
    private var peak: UInt64 = 0
    private let base: UInt64

    init() {
        base = Self.anonymousBytes()
        Thread.detachNewThread { [self] in
            while lock.withLock({ isRunning }) {
                peak = max(peak, Self.anonymousBytes())
                usleep(5_000)
            }
            ended.signal()
        }
    }

    /// How far the memory rose above where it was at the start, in bytes.
    func stop() -> UInt64 {
        lock.withLock { isRunning = false }
        ended.wait()
        peak = max(peak, Self.anonymousBytes())
        return peak > base ? peak - base : 0
    }

    private static func anonymousBytes() -> UInt64 {
        var bytes: UInt64 = 0
        return baseline_anonymous_bytes(&bytes) == BASELINE_OK ? bytes : 0
    }
}

enum Device {
    static func writtenBytes() -> UInt64 {
        var bytes: UInt64 = 0
        return baseline_device_bytes(&bytes) == BASELINE_OK ? bytes : 0
    }
}
