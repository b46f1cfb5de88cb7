import Foundation
import TidelogSynchronization

/// The largest amount of memory that processes use. A thread looks every 3 milliseconds until `end()` is called.
final class PeakMemory: Sendable {
    /// The peaks of one process, in bytes.
    struct Peak: Sendable {
        /// Memory that no file backs.
        var anonymous = 0
        /// All that was resident, pages of mapped stores and programs included.
        var resident = 0
    }

    private let looking = DispatchGroup()
    private let state: Mutex<(peaks: [Int32: Peak], isOver: Bool)>

    /// Starts to look at the processes with these ids.
    init(of processes: [Int32]) {
        state = Mutex((Dictionary(uniqueKeysWithValues: processes.map { ($0, Peak()) }), false))
        looking.enter()
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) {
                for process in processes { look(at: process) }
                Thread.sleep(forTimeInterval: 0.003)
            }
            looking.leave()
        }
    }

    /// Stops looking. Returns the peaks by process.
    func end() -> [Int32: Peak] {
        state.withLock { $0.isOver = true }
        looking.wait()
        return state.withLock { $0.peaks }
    }

    /// Reads the memory of a process. For a process that has ended, the system gives no such lines.
    private func look(at process: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return }
        var seen = Peak()
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3, let kibibytes = Int(words[1]) else { continue }
            if words[0] == "RssAnon:" { seen.anonymous = kibibytes << 10 }
            if words[0] == "VmHWM:" { seen.resident = kibibytes << 10 }
        }
        state.withLock { state in
            let peak = state.peaks[process, default: Peak()]
            state.peaks[process] = Peak(
                anonymous: max(peak.anonymous, seen.anonymous), resident: max(peak.resident, seen.resident))
        }
    }
}
