internal import CWebSockets
internal import TidelogPlatform

/// A socket that accepts clients.
struct ListeningSocket {
    let descriptor: Int32
    /// The port of the socket. If port 0 was requested, this is the port that the system chose.
    let port: Int

    /// Opens a listening socket on `host`, which is a numeric address or `localhost`.
    init(host: String, port: Int) throws(ListenerError) {
        let literal = host == "localhost" ? "127.0.0.1" : host
        guard let number = UInt16(exactly: port), let (address, length) = SocketAddress.parse(literal, port: number)
        else {
            throw ListenerError(
                .invalidAddress,
                "Cannot listen on \(host), port \(port): give an IPv4 or IPv6 address and a port from 0 to 65535.")
        }
        let descriptor = try Self.open(Int32(address.ss_family))
        self.descriptor = descriptor
        do throws(ListenerError) {
            try Self.bind(descriptor, address, length, host: host, port: port)
            guard listen(descriptor, SOMAXCONN) == 0 else { throw Self.error(errno, host: host, port: port) }
            var bound = sockaddr_storage()
            var boundLength = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let status = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &boundLength)
                }
            }
            guard status == 0 else { throw Self.error(errno, host: host, port: port) }
            self.port = SocketAddress.port(of: bound)
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    private static func open(_ family: Int32) throws(ListenerError) -> Int32 {
        let descriptor = socket(family, Platform.streamSocket, 0)
        guard descriptor >= 0 else {
            throw ListenerError(.system, "The system gives no socket: \(String(cString: strerror(errno))).")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var enabled: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
        if family == AF_INET6 {
            // A socket on the IPv6 address `::` then also accepts IPv4 clients.
            var disabled: Int32 = 0
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &disabled, socklen_t(MemoryLayout<Int32>.size))
        }
        return descriptor
    }

    private static func bind(
        _ descriptor: Int32, _ address: sockaddr_storage, _ length: socklen_t, host: String, port: Int
    ) throws(ListenerError) {
        var address = address
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Platform.bind(descriptor, to: $0, length) }
        }
        guard status == 0 else { throw error(errno, host: host, port: port) }
    }

    private static func error(_ number: Int32, host: String, port: Int) -> ListenerError {
        switch number {
        case EADDRINUSE:
            ListenerError(
                .portInUse,
                "Port \(port) of \(host) is in use: stop the program that listens there, or choose another port.")
        case EACCES:
            ListenerError(
                .permissionDenied, "Port \(port) is for privileged programs only: choose one from 1024 to 65535.")
        case EADDRNOTAVAIL:
            ListenerError(.invalidAddress, "\(host) is no address of this computer: choose one that is.")
        default:
            ListenerError(.system, "Cannot listen on \(host), port \(port): \(String(cString: strerror(number))).")
        }
    }
}
