import Foundation
import TidelogPlatform
import TidelogSynchronization

/// The client's end of a TCP connection to this computer. Every call that waits has a time limit. The limit is far longer than
/// an answer takes on a computer that is busy with other tests, so only a fault reaches it.
final class RawClient: Sendable {
    enum Failure: Error {
        case notConnected(Int32)
        case timedOut(received: String)
        case closed(received: String)
    }

    let descriptor: Int32
    private let unread = Mutex<[UInt8]>([])

    /// - Parameter receiveBuffer: The number of bytes that the system keeps for a client that does not read. If it is `nil`,
    ///   the system chooses the number.
    init(_ port: Int, receiveBuffer: Int32? = nil) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // All properties are set, so `deinit` closes the socket even if this line throws.
        guard status == 0 else { throw Failure.notConnected(errno) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Sends `bytes`. Returns `false` if the server has closed the connection, or does not read the bytes within `seconds`.
    @discardableResult
    func send(_ bytes: [UInt8], within seconds: Double = 60) -> Bool {
        var rest = bytes[...]
        let end = ContinuousClock.now + .seconds(seconds)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write($0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EAGAIN || ContinuousClock.now >= end {
                return false
            } else {
                wait(Int16(POLLOUT))
            }
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #else
            #if canImport(Glibc)
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                Musl.send(descriptor, bytes.baseAddress, bytes.count, MSG_NOSIGNAL)
            #endif
        #endif
    }

    func closeWriteSide() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection in a way that the server sees as an error.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Receives the next `count` bytes.
    func receive(_ count: Int, within seconds: Double = 60) throws -> [UInt8] {
        try receive(within: seconds) { $0.count >= count ? count : nil }
    }

    /// Receives the bytes up to and including the next `mark`.
    func receive(through mark: String, within seconds: Double = 60) throws -> String {
        let pattern = Array(mark.utf8)
        let bytes = try receive(within: seconds) { bytes in
            bytes.firstRange(of: pattern)?.upperBound
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives all bytes until the server closes the connection.
    func receiveAll(within seconds: Double = 60) throws -> [UInt8] {
        let end = ContinuousClock.now + .seconds(seconds)
        while fill() { try checkTime(end) }
        return unread.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Receives a response. Its header says how long its body is.
    func response(hasBody: Bool = true) throws -> (status: Int, header: String, body: [UInt8]) {
        let header = try receive(through: "\r\n\r\n")
        let status = Int(header.split(separator: " ")[1]) ?? 0
        let length = header.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        let body = hasBody ? try receive(length ?? 0) : []
        return (status, header, body)
    }

    /// Sends a request. Returns the status and the body of the response, as text.
    func ask(_ request: String) throws -> (status: Int, text: String) {
        send(request)
        let response = try response()
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    private func receive(within seconds: Double, _ length: ([UInt8]) -> Int?) throws -> [UInt8] {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let found = unread.withLock { bytes -> [UInt8]? in
                guard let count = length(bytes) else { return nil }
                defer { bytes.removeFirst(count) }
                return Array(bytes[..<count])
            }
            if let found { return found }
            guard fill() else { throw Failure.closed(received: text) }
            try checkTime(end)
        }
    }

    private func checkTime(_ end: ContinuousClock.Instant) throws {
        if ContinuousClock.now >= end { throw Failure.timedOut(received: text) }
    }

    private var text: String { unread.withLock { String(decoding: $0.prefix(500), as: UTF8.self) } }

    /// Waits a moment for bytes, and receives them. Returns whether more bytes may follow.
    private func fill() -> Bool {
        wait(Int16(POLLIN))
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { unread.withLock { $0.append(contentsOf: bytes[..<count]) } }
        return count > 0 || count < 0 && errno == EAGAIN
    }

    private func wait(_ events: Int16) {
        var polled = pollfd(fd: descriptor, events: events, revents: 0)
        _ = poll(&polled, 1, 50)
    }
}
