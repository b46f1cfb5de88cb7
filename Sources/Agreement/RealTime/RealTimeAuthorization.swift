internal import TidelogJSON

/// The headers with a client's credentials in the real-time protocol, as a JSON object of texts.
package enum RealTimeAuthorization {
    /// Parses the headers in the JSON object `text`. The names become lower case.
    package static func headers(_ text: [UInt8]) throws(MalformedMessage) -> [String: String] {
        do { return try JSONReader.read(text) { try read(&$0) } } catch { throw MalformedMessage() }
    }

    static func read(_ reader: inout JSONReader) throws -> [String: String] {
        var headers: [String: String] = [:]
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            if try reader.peekKind() == .string {
                headers[key.lowercased()] = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        return headers
    }
}

extension RealTimeAuthorization {
    /// The headers as a JSON object.
    package static func json(_ headers: [String: String]) -> [UInt8] {
        var writer = JSONWriter()
        write(headers, to: &writer)
        return writer.bytes
    }

    static func write(_ headers: [String: String], to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.string(value)
        }
        writer.endObject()
    }
}
