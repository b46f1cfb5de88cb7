internal import CBaselines
import Foundation
import Synchronization

/// What timed work cost beyond its time.
struct Cost: Sendable {
    /// How far anonymous memory rose above what there was when the work began, in bytes.
    var peakAnonymousBytes = 0
    /// What was written to devices, through the closing and flushing of the engine's files.
    var deviceBytes = 0
    /// How often the process waited for a device.
    var syncs = 0
}

/// Takes the cost of one engine's work in a directory of its own. The work comes in stretches, between which records are
/// made: nothing is counted there. One engine works at a time.
final class Meter: Sendable {
    private struct State {
        var isMeasuring = false
        var isEnded = false
        /// What was written when the account of device bytes was opened.
        var deviceBase: Int?
        var syncBase = 0
        /// Memory at the start of this stretch, and how much of it the stretches before left behind.
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

    /// A meter for the engine that works in `directory`.
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

    /// Begins a stretch of work. Before the first one what the set-up wrote is flushed and what it freed given back.
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
            state.memoryBase = Consumption.anonymousBytes
            state.isMeasuring = true
        }
    }

    /// Ends the stretch.
    func pause() {
        guard directory != nil else { return }
        state.withLock { state in
            state.sample()
            state.isMeasuring = false
            state.held += Consumption.anonymousBytes - state.memoryBase
            state.cost.syncs += Consumption.syncs - state.syncBase
        }
    }

    /// Flushes the engine's files and settles the account of device bytes; the next stretch opens another one. Returns
    /// the seconds that flushing took.
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

    /// Ends the sampling, and returns what it all cost.
    func end() -> Cost {
        state.withLock { state in
            state.isEnded = true
            return state.cost
        }
    }

    /// For set-up: counts nothing.
    static let off = Meter(nil)

    /// The cost so far.
    var cost: Cost { state.withLock { $0.cost } }
}

/// What this process has taken, and the device below it, as the kernel counts it.
enum Consumption {
    static var anonymousBytes: Int {
        var bytes: UInt64 = 0
        return baseline_anonymous_bytes(&bytes) == BASELINE_OK ? Int(bytes) : 0
    }

    /// What was written to the device that `directory` is on, by anyone; where that has no counter, what this process wrote
    /// to the system's cache, in whole pages.
    static func deviceBytes(of directory: String) -> Int {
        var bytes: UInt64 = 0
        return baseline_device_bytes(directory, &bytes) == BASELINE_OK ? Int(bytes) : 0
    }

    static var syncs: Int { Int(baseline_sync_count()) }
}

/// Brings files to the device, and drops them from memory.
enum Flushing {
    static func flush(_ directory: String) { forEachFile(directory) { fsync($0) } }

    /// Leaves nothing of the flushed files in the system's cache, so that the next reader waits for the device.
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
