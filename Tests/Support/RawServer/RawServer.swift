internal import Foundation
internal import TidelogPlatform
internal import TidelogSynchronization

/// A TCP server on this computer whose behaviour a test controls exactly. Each connection is served on its own thread.
package final class RawServer: Sendable {
    package let port: Int
    private let descriptor: Int32
    private let counts = Mutex(0)

    /// The number of accepted connections.
    package var connectionCount: Int { counts.withLock { $0 } }

    /// Starts a server that serves its connections with `serve`. A connection is closed when `serve` returns.
    ///
    /// - Parameter seconds: How long a call on a connection waits.
    package init(waiting seconds: Int = 60, _ serve: @escaping @Sendable (RawConnection) throws -> Void) throws {
        descriptor = RawConnection.makeSocket()
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = RawConnection.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 64) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw RawConnection.Ended() }
        Thread.detachNewThread { [weak self] in
            while true {
                let accepted = accept(socket, nil, nil)
                guard accepted >= 0 else { return }
                self?.counts.withLock { $0 += 1 }
                Thread.detachNewThread {
                    let connection = RawConnection(accepted, waiting: seconds)
                    // A test that needs to know how a connection ended records this in `serve`.
                    try? serve(connection)
                    connection.close()
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}

/// One connection of a ``RawServer``. Every call waits for a limited time.
package final class RawConnection: Sendable {
    package struct Ended: Error {
        package init() {}
    }

    private let descriptor: Int32
    private let unread = Mutex<[UInt8]>([])

    /// - Parameter seconds: How long a call waits.
    package init(_ descriptor: Int32, waiting seconds: Int = 60) {
        self.descriptor = descriptor
        // A child process of the test must not keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a server on this computer.
    package convenience init(toPort port: Int, waiting seconds: Int = 60) throws {
        let descriptor = Self.makeSocket()
        var address = Self.loopback(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
        self.init(descriptor, waiting: seconds)
        guard isConnected else {
            close()
            throw Ended()
        }
    }

    /// Makes a TCP socket.
    fileprivate static func makeSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    /// The address of a port on this computer.
    fileprivate static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Ends both directions. A call that waits for bytes on another thread throws.
    package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    package func close() {
        end()
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    /// Sends bytes. The call waits while the other side does not receive them.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let count = rest.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
            #else
                let count = rest.withUnsafeBytes { write($0) }
            #endif
            guard count > 0 else { throw Ended() }
            rest = rest.dropFirst(count)
        }
    }

    #if !canImport(Darwin)
        private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
            #if canImport(Glibc)
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                Musl.send(descriptor, bytes.baseAddress, bytes.count, MSG_NOSIGNAL)
            #endif
        }
    #endif

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Receives the next `count` bytes.
    package func receive(_ count: Int) throws -> [UInt8] { try receive { $0.count >= count ? count : nil } }

    /// Receives all bytes that are available, and waits for at least one.
    package func receiveSome() throws -> [UInt8] { try receive { $0.isEmpty ? nil : $0.count } }

    /// Receives the bytes up to the end of the next `mark`.
    package func receive(through mark: String) throws -> String {
        let pattern = Array(mark.utf8)
        return String(decoding: try receive { $0.firstRange(of: pattern)?.upperBound }, as: UTF8.self)
    }

    /// Receives an HTTP request with its body.
    package func request() throws -> String {
        let header = try receive(through: "\r\n\r\n")
        let length = header.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        return header + String(decoding: try receive(length ?? 0), as: UTF8.self)
    }

    /// Waits until the other side closes the connection. Returns whether it closed in time.
    package func waitForEnd() -> Bool {
        while true {
            let count = fill()
            if count == 0 { return true }
            if count < 0 { return errno == ECONNRESET }
        }
    }

    private func receive(_ length: ([UInt8]) -> Int?) throws -> [UInt8] {
        while true {
            let found = unread.withLock { bytes -> [UInt8]? in
                guard let count = length(bytes) else { return nil }
                defer { bytes.removeFirst(count) }
                return Array(bytes[..<count])
            }
            if let found { return found }
            guard fill() > 0 else { throw Ended() }
        }
    }

    private func fill() -> Int {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { unread.withLock { $0.append(contentsOf: bytes[..<count]) } }
        return count
    }
}
