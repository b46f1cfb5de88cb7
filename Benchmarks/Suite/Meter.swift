internal import CBaselines
import Foundation
import TidelogSynchronization

/// The costs of timed work apart from its time.
struct Cost: Sendable {
    /// The largest rise of anonymous memory above its size at the start of the work, in bytes.
    var peakAnonymousBytes = 0
    /// The number of bytes written to devices, which includes closing and flushing the engine's files.
    var deviceBytes = 0
    /// How often the process waited for a device.
    var syncs = 0
    /// The processor time of the process, in seconds.
    var processorSeconds = 0.0
}

/// Measures the costs of one engine's work in its own directory. The work comes in stretches. Records are made between the
/// stretches, and nothing is counted then. Only one engine works at a time.
final class Meter: Sendable {
    private struct State {
        var isMeasuring = false
        var isEnded = false
        /// The device's counter when the current account of written bytes was opened.
        var deviceBase: Int?
        var syncBase = 0
        var processorBase = 0.0
        /// The memory at the start of this stretch, and the memory that the earlier stretches did not free.
        var memoryBase = 0
        var held = 0
        var cost = Cost()

        mutating func sample() {
            cost.peakAnonymousBytes = max(cost.peakAnonymousBytes, held + Consumption.anonymousBytes - memoryBase)
        }
    }

    private static let samplingMicroseconds: UInt32 = 2_000

    private let directory: String?
    private let state = Mutex(State())

    /// Makes a meter for the engine that works in `directory`.
    init(_ directory: String?) {
        self.directory = directory
        guard directory != nil else { return }
        Thread.detachNewThread { [self] in
            while state.withLock({ state in
                if state.isMeasuring { state.sample() }
                return !state.isEnded
            }) {
                usleep(Self.samplingMicroseconds)
            }
        }
    }

    /// Begins a stretch of work. Before the first stretch, the files of the set-up are flushed and its freed memory is returned
    /// to the system.
    func resume() {
        guard let directory else { return }
        let isFirst = state.withLock { $0.deviceBase == nil }
        if isFirst {
            Flushing.flush(directory)
            baseline_trim_memory()
        }
        state.withLock { state in
            if isFirst { state.deviceBase = Consumption.deviceBytes(of: directory) }
            state.syncBase = Consumption.syncs
            state.processorBase = Consumption.processorSeconds
            state.memoryBase = Consumption.anonymousBytes
            state.isMeasuring = true
        }
    }

    /// Ends the stretch of work.
    func pause() {
        guard directory != nil else { return }
        state.withLock { state in
            state.sample()
            state.isMeasuring = false
            state.held += Consumption.anonymousBytes - state.memoryBase
            state.cost.syncs += Consumption.syncs - state.syncBase
            state.cost.processorSeconds += Consumption.processorSeconds - state.processorBase
        }
    }

    /// Flushes the engine's files and closes the account of written bytes; the next stretch opens a new account. Returns the
    /// time of flushing in seconds.
    @discardableResult
    func settle() -> Double {
        guard let directory else { return 0 }
        let began = Clock.now()
        Flushing.flush(directory)
        let seconds = Double(Clock.now() - began) / 1e9
        state.withLock { state in
            if let base = state.deviceBase {
                state.cost.deviceBytes += max(0, Consumption.deviceBytes(of: directory) - base)
            }
            state.deviceBase = nil
        }
        return seconds
    }

    /// Ends the sampling, and returns the total cost.
    func end() -> Cost {
        state.withLock { state in
            state.isEnded = true
            return state.cost
        }
    }

    /// A meter for set-up work, which counts nothing.
    static let off = Meter(nil)

    /// The cost so far.
    var cost: Cost { state.withLock { $0.cost } }
}

/// The resources that this process and its device have used so far, from the kernel's counters.
enum Consumption {
    static var anonymousBytes: Int {
        var bytes: UInt64 = 0
        return baseline_anonymous_bytes(&bytes) == BASELINE_OK ? Int(bytes) : 0
    }

    /// The bytes that all processes wrote to the device of `directory`. If the device has no counter, the bytes that this
    /// process wrote to the system's cache, in whole pages.
    static func deviceBytes(of directory: String) -> Int {
        var bytes: UInt64 = 0
        return baseline_device_bytes(directory, &bytes) == BASELINE_OK ? Int(bytes) : 0
    }

    static var syncs: Int { Int(baseline_sync_count()) }

    /// The time that all threads of this process ran.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Flushes files to the device, and drops them from the system's cache.
enum Flushing {
    static func flush(_ directory: String) { forEachFile(directory) { fsync($0) } }

    /// Removes the flushed files from the system's cache, so that the next reader waits for the device.
    static func drop(_ directory: String) {
        forEachFile(directory) { descriptor in
            fsync(descriptor)
            #if os(Linux)
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            #endif
        }
    }

    private static func forEachFile(_ directory: String, _ body: (Int32) -> Void) {
        for path in FileManager.default.subpaths(atPath: directory) ?? [] {
            let descriptor = open(directory + "/" + path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            body(descriptor)
            close(descriptor)
        }
    }
}
