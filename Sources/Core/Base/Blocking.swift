internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Work that reads and writes files for long: kept off the threads that tasks share.
package enum Blocking {
    /// Runs `body` on a thread that may block.
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

    /// Keeps the calling thread waiting.
    static func pause(microseconds: UInt32) { usleep(microseconds) }
}
