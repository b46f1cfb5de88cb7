import Foundation

/// A client's keep-alive connection over loopback: whole requests go out, whole responses come in.
final class ClientSocket {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    private var filled = 0
    /// Where the body begins and how many bytes it has, once the header is there.
    private var body: Range<Int>?

    /// Connects to `port` of this computer.
    init(port: Int) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
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
        guard status == 0 else { throw ClientFailure("no connection to the server: \(Self.reason)") }
        var enabled: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    private static var reason: String { String(cString: strerror(errno)) }

    /// Sends a whole request.
    func send(_ request: [UInt8]) throws {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            guard count > 0 else { throw ClientFailure("a request did not go out: \(Self.reason)") }
            sent += count
        }
    }

    /// Takes in what has come. Hands the body of the response to `read` if it is whole, else returns `nil`.
    ///
    /// - Throws: if the status is not 200, or the server closed the connection.
    func receive<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        if filled == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let filled = filled
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, 0)
        }
        guard count > 0 else { throw ClientFailure("the server closed a connection: \(Self.reason)") }
        self.filled += count
        if body == nil { try readHeader() }
        guard let body, self.filled >= body.upperBound else { return nil }
        guard self.filled == body.upperBound else { throw ClientFailure("more came than the response") }
        defer { (self.filled, self.body) = (0, nil) }
        return try buffer.withUnsafeBytes { try read(UnsafeRawBufferPointer(rebasing: $0[body])) }
    }

    private func readHeader() throws {
        guard let end = buffer[..<filled].firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        let header = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        guard header.hasPrefix("HTTP/1.1 200 ") else { throw ClientFailure("the server said \(header)") }
        let name = "Content-Length: "
        guard let field = header.split(separator: "\r\n").first(where: { $0.hasPrefix(name) }),
            let count = Int(field.dropFirst(name.count))
        else { throw ClientFailure("a response has no length") }
        body = end.upperBound..<(end.upperBound + count)
        if body.map({ $0.upperBound > buffer.count }) == true {
            buffer.append(contentsOf: repeatElement(0, count: end.upperBound + count - buffer.count))
        }
    }
}

/// Why clients gave up.
struct ClientFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Requests as clients send them.
enum ClientRequest {
    /// A POST with this body, header and all.
    static func bytes(_ body: [UInt8]) -> [UInt8] {
        let header = """
            POST /graphql HTTP/1.1\r
            Host: 127.0.0.1\r
            x-api-key: \(ServedPosts.apiKey)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return Array(header.utf8) + body
    }

    /// The fields that clients select, metadata among them.
    static let fields = """
        id content createdAt rating status title updatedAt _version _deleted _lastChangedAt
        """
}
