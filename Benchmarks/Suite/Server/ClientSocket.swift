import Foundation
internal import TidelogJSON

/// A client's keep-alive connection over loopback. It sends whole requests and receives whole responses.
final class ClientSocket {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    private var filled = 0
    /// The range of the body, once the header has arrived.
    private var body: Range<Int>?

    /// Connects to `port` of this computer.
    init(port: Int) throws { descriptor = try Loopback.connect(to: port) }

    deinit { close(descriptor) }

    /// Sends a whole request.
    func send(_ request: [UInt8]) throws { try Loopback.send(request, to: descriptor) }

    /// Reads the bytes that have arrived. If the response is complete, its body is passed to `read`; otherwise the result is
    /// `nil`.
    ///
    /// - Throws: An error if the status is not 200, or if the server closed the connection.
    func receive<Value>(_ read: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
        if filled == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let filled = filled
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, 0)
        }
        guard count > 0 else { throw ClientFailure("the server closed a connection: \(Loopback.reason)") }
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

/// Requests in the form in which clients send them.
enum ClientRequest {
    /// A POST request with this body, including the header.
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

    /// The request that creates a post.
    static func creation(of post: Post) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        writer.string(
            "mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { \(fields) } }")
        writer.key("variables")
        writer.beginObject()
        writer.key("input")
        write(post, to: &writer)
        writer.endObject()
        writer.endObject()
        return bytes(writer.bytes)
    }

    /// The request that creates posts in one document.
    static func creation(ofAll posts: [Post]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        let variables = posts.indices.map { "$i\($0): CreatePostInput!" }.joined(separator: ", ")
        let mutations = posts.indices.map { "m\($0): createPost(input: $i\($0)) { \(fields) }" }
        writer.string("mutation CreatePosts(\(variables)) { \(mutations.joined(separator: " ")) }")
        writer.key("variables")
        writer.beginObject()
        for (index, post) in posts.enumerated() {
            writer.key("i\(index)")
            write(post, to: &writer)
        }
        writer.endObject()
        writer.endObject()
        return bytes(writer.bytes)
    }

    private static func write(_ post: Post, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, text) in [
            ("id", post.id), ("title", post.title), ("content", post.content), ("status", post.status),
            ("createdAt", post.createdAt), ("updatedAt", post.updatedAt),
        ] {
            writer.key(name)
            writer.string(text)
        }
        writer.key("rating")
        writer.int(Int64(post.rating))
        writer.endObject()
    }

    /// The beginning of the response if the post was created.
    static func created(_ id: String) -> [UInt8] { Array("{\"data\":{\"createPost\":{\"id\":\"\(id)\",".utf8) }

    /// Checks that `body` begins with `start` and that it has no errors after the data.
    static func check(_ body: UnsafeRawBufferPointer, beginsWith start: [UInt8]) throws {
        guard body.starts(with: start), body.suffix(3).elementsEqual("}}}".utf8) else {
            throw ClientFailure("the server answered \(String(decoding: body.prefix(1_000), as: UTF8.self))")
        }
    }

    /// The fields that clients select, including metadata.
    static let fields = """
        id content createdAt rating status title updatedAt _version _deleted _lastChangedAt
        """
}
