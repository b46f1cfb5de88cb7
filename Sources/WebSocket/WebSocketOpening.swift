/// The client's side of the opening handshake of a WebSocket: RFC 6455, section 4.1.
///
/// The opening is a pure state machine. It reads the bytes of the response until the header is complete. It returns the bytes
/// after the header, which belong to the first frames.
package struct WebSocketOpening: Sendable {
    /// The reason why no WebSocket was opened.
    package enum Failure: Error, Sendable, Equatable {
        /// The server answered with another status than 101. AppSync names the kind of error in a header field.
        case refused(status: Int, errorType: String?)
        /// The response does not open a WebSocket, for this reason.
        case malformed(String)
        /// The response's header is longer than the limit.
        case tooLong
    }

    /// The WebSocket that was opened.
    package struct Opened: Sendable, Equatable {
        /// The subprotocol that the server chose; `nil` if it chose none.
        package let subprotocol: String?
        /// The bytes after the header.
        package let rest: [UInt8]
    }

    /// The longest accepted header in bytes.
    package static let maximumHeaderBytes = 32 << 10

    private let key: String
    private let subprotocols: [String]
    private var received: [UInt8] = []

    /// Makes an opening that offers `subprotocols`.
    ///
    /// - Parameter nonce: 16 random bytes.
    package init(subprotocols: [String], nonce: [UInt8]) {
        precondition(nonce.count == 16, "the key of a WebSocket has 16 bytes")
        precondition(subprotocols.allSatisfy { HTTPToken.isValid($0) }, "a subprotocol is a token")
        key = Base64.encode(nonce)
        self.subprotocols = subprotocols
    }

    /// The request that asks for the WebSocket.
    ///
    /// - Parameters:
    ///   - target: The path and the query.
    ///   - host: The value of the field `Host`.
    ///   - fields: Additional header fields. The caller has checked that they contain no line breaks.
    package func request(target: String, host: String, fields: [(name: String, value: String)]) -> [UInt8] {
        var text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        if !subprotocols.isEmpty { text += "Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Receives bytes of the response. Returns `nil` until its header is complete.
    package mutating func receive(_ bytes: some Collection<UInt8>) throws(Failure) -> Opened? {
        let searchStart = max(0, received.count - 3)
        received.append(contentsOf: bytes)
        guard let end = Self.headerEnd(received, from: searchStart) else {
            if received.count > Self.maximumHeaderBytes { throw .tooLong }
            return nil
        }
        guard end <= Self.maximumHeaderBytes else { throw .tooLong }
        guard let header = String(validating: received[..<(end - 4)], as: UTF8.self) else {
            throw .malformed("its header is not UTF-8")
        }
        return Opened(subprotocol: try check(header), rest: Array(received[end...]))
    }

    private static func headerEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 4 <= bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    /// Checks the response's header, and returns the subprotocol that the server chose.
    private func check(_ header: String) throws(Failure) -> String? {
        let lines = header.utf8.split(separator: 13, omittingEmptySubsequences: false).enumerated().map { index, line in
            Substring(index > 0 && line.first == 10 ? line.dropFirst() : line)
        }
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]) else {
            throw .malformed("its first line is no status line of HTTP/1.1")
        }
        guard status == 101 else {
            throw .refused(status: status, errorType: Self.fields(lines.dropFirst())?["x-amzn-errortype"]?.first)
        }
        guard let fields = Self.fields(lines.dropFirst()) else { throw .malformed("a header field is malformed") }
        guard fields["upgrade"].map({ $0.map { Self.lowercase($0[...]) } }) == ["websocket"] else {
            throw .malformed("it upgrades to something else than a WebSocket")
        }
        let connection = (fields["connection"] ?? []).flatMap { $0.split(separator: ",") }
        guard connection.contains(where: { Self.lowercase(Self.trimmed($0)[...]) == "upgrade" }) else {
            throw .malformed("its connection is no upgrade")
        }
        guard fields["sec-websocket-accept"] == [WebSocketHandshake.acceptance(of: key)] else {
            throw .malformed("it does not answer the key")
        }
        guard fields["sec-websocket-extensions"] == nil else {
            throw .malformed("it uses an extension that none offered")
        }
        guard let chosen = fields["sec-websocket-protocol"] else { return nil }
        guard chosen.count == 1, subprotocols.contains(chosen[0]) else {
            throw .malformed("it chose a subprotocol that was not offered")
        }
        return chosen[0]
    }

    /// The values of the header fields by their names in lower case; `nil` if a field is malformed.
    private static func fields(_ lines: some Sequence<Substring>) -> [String: [String]]? {
        var fields: [String: [String]] = [:]
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), HTTPToken.isValid(line[..<colon]) else {
                return nil
            }
            let value = line[line.utf8.index(after: colon)...]
            fields[lowercase(line[..<colon]), default: []].append(trimmed(value))
        }
        return fields
    }

    private static func lowercase(_ text: Substring) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = text.utf8.drop(while: isBlank)
        let count = start.reversed().drop(while: isBlank).count
        return String(decoding: start.prefix(count), as: UTF8.self)
    }
}
