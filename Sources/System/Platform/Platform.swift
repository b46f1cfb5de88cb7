// The C library of the platform. Files that call it import this module, so that only this folder names the platforms.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Musl
#endif

/// Calls that the systems name or do in different ways. `Platform+Linux.swift` and `Platform+Darwin.swift` have the same
/// declarations.
package enum Platform {}

// The calls of the C library for types that have methods of the same names.
extension Platform {
    /// The result of `write`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int {
        systemWrite(file, bytes.baseAddress, bytes.count)
    }

    /// The result of `read`.
    package static func read(_ file: Int32, into bytes: inout [UInt8]) -> Int {
        systemRead(file, &bytes, bytes.count)
    }

    /// The result of `close`.
    @discardableResult
    package static func close(_ file: Int32) -> Int32 { systemClose(file) }

    /// The result of `rename`.
    package static func rename(_ source: String, to target: String) -> Int32 { systemRename(source, target) }

    /// The result of `bind`.
    package static func bind(_ socket: Int32, to address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        systemBind(socket, address, length)
    }
}

extension Platform {
    /// How many processors the system uses.
    package static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    /// Starts a thread that runs `body`. Returns 0 or the error of `pthread_create`.
    package static func startThread(
        _ attributes: UnsafePointer<pthread_attr_t>, _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        let work = Unmanaged.passRetained(ThreadWork(body))
        let status = createThread(attributes, work.toOpaque())
        if status != 0 { work.release() }
        return status
    }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, bytes, count)
}
private func systemClose(_ file: Int32) -> Int32 { close(file) }
private func systemRename(_ source: String, _ target: String) -> Int32 { rename(source, target) }
private func systemBind(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(socket, address, length)
}

/// The work of a new thread. The thread gets it as a pointer.
final class ThreadWork: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Runs the work that `pointer` leads to, and releases it.
    static func run(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { preconditionFailure("the thread was given its work") }
        Unmanaged<ThreadWork>.fromOpaque(pointer).takeRetainedValue().body()
    }
}
