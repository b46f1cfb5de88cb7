import Foundation

/// A client that subscribes to the changes of posts over a WebSocket.
final class SubscriberSocket {
    let descriptor: Int32
    /// The bytes of an incomplete frame.
    private var rest: [UInt8] = []

    /// Connects to `port` and subscribes three times, as Amplify does: to created, updated and deleted posts.
    ///
    /// - Parameter scratch: Memory for the received bytes.
    init(port: Int, _ scratch: UnsafeMutableRawBufferPointer) throws {
        descriptor = try Loopback.connect(to: port)
        try Loopback.send(Self.handshake, to: descriptor)
        var header: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while !header.suffix(end.count).elementsEqual(end) {
            // The header is read byte by byte, because frames follow it.
            header += try read(UnsafeMutableRawBufferPointer(rebasing: scratch[..<1]))
        }
        guard header.starts(with: "HTTP/1.1 101 ".utf8) else {
            throw ClientFailure("the server answered \(String(decoding: header, as: UTF8.self))")
        }
        try Loopback.send(Self.subscriptions, to: descriptor)
        var begun = 0
        while begun < Self.fields.count {
            try receive(scratch) { message in
                let text = String(decoding: message, as: UTF8.self)
                if text.contains("\"start_ack\"") { begun += 1 }
                if text.contains("error") { throw ClientFailure("the server answered \(text)") }
            }
        }
    }

    deinit { close(descriptor) }

    /// Reads the bytes that have arrived, and calls `body` with each complete message.
    func receive(_ scratch: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let bytes = try read(scratch)
        guard rest.isEmpty else {
            rest += bytes
            let used = try rest.withUnsafeBytes { try Self.readFrames($0, body) }
            rest.removeFirst(used)
            return
        }
        let used = try Self.readFrames(bytes, body)
        rest = Array(bytes[used...])
    }

    private func read(_ scratch: UnsafeMutableRawBufferPointer) throws -> UnsafeRawBufferPointer {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        guard count > 0 else { throw ClientFailure("the server closed a WebSocket: \(Loopback.reason)") }
        return UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }

    /// Passes the messages in `bytes` on. Returns how many bytes they take.
    private static func readFrames(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var start = 0
        while bytes.count - start >= 4 {
            // The server sends whole texts shorter than 64 KiB, and empty pings.
            let isPing = bytes[start] == 0x89
            guard bytes[start] == 0x81 || isPing, bytes[start + 1] <= 126 else {
                throw ClientFailure("the server sent a frame of another kind")
            }
            let isShort = bytes[start + 1] < 126
            let count = isShort ? Int(bytes[start + 1]) : Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            let first = start + (isShort ? 2 : 4)
            guard first + count <= bytes.count else { break }
            if !isPing { try body(UnsafeRawBufferPointer(rebasing: bytes[first..<(first + count)])) }
            start = first + count
        }
        return start
    }

    // MARK: Sending

    private static let fields = ["onCreatePost", "onUpdatePost", "onDeletePost"]

    private static let handshake = Array(
        """
        GET /graphql/realtime HTTP/1.1\r
        Host: 127.0.0.1\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGlkZWxvZy1iZW5jaG1hcg==\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: graphql-ws\r
        x-api-key: \(ServedPosts.apiKey)\r
        \r

        """.utf8)

    private static let subscriptions = fields.reduce(into: frame(#"{"type":"connection_init"}"#)) { bytes, field in
        let request = #"{\"query\":\"subscription { \#(field) { \#(ClientRequest.fields) } }\"}"#
        bytes += frame(#"{"id":"\#(field)","type":"start","payload":{"data":"\#(request)"}}"#)
    }

    /// A text frame as clients send it. It is masked, here with zeros.
    private static func frame(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)]
            : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [0x81] + length + [0, 0, 0, 0] + payload
    }
}
