internal import Dispatch
internal import TidelogPlatform
internal import TidelogSynchronization

/// Runs work that reads and writes files for a long time. It does not occupy the threads that tasks share.
package enum Blocking {
    /// Runs `body` on a thread that may block, and waits for its result.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result = await withUnsafeContinuation { continuation in
            DispatchQueue.global().async {
                let result = Result { try body() }
                HandOver.note()
                continuation.resume(returning: result)
            }
        }
        HandOver.note()
        return try result.get()
    }

    /// Blocks the calling thread for a time.
    static func pause(microseconds: UInt32) { usleep(microseconds) }
}
