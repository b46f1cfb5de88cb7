import Foundation

/// Connections to a server on this computer. Calls on them block.
enum Loopback {
    /// Opens a connection to `port`; the caller closes the descriptor.
    static func connect(to port: Int) throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw ClientFailure("no socket: \(reason)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let failure = ClientFailure("no connection to the server: \(reason)")
            close(descriptor)
            throw failure
        }
        var enabled: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// Sends all of `bytes`.
    static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
            guard count > 0 else { throw ClientFailure("a request did not go out: \(reason)") }
            sent += count
        }
    }

    /// Raises the number of files that this process may open to the largest number that the system allows.
    ///
    /// - Throws: An error if that number is below `count`.
    static func allowDescriptors(_ count: Int) throws {
        var limit = rlimit()
        #if canImport(Darwin)
            let files = RLIMIT_NOFILE
        #else
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        getrlimit(files, &limit)
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(files, &limit) == 0, limit.rlim_cur > UInt64(count) else {
            throw ClientFailure("a process may open \(limit.rlim_max) files here, not \(count): raise ulimit -Hn")
        }
    }

    /// The reason why the last system call failed.
    static var reason: String { String(cString: strerror(errno)) }
}

/// The error with which clients stop.
struct ClientFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
