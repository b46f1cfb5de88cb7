internal import TidelogJSON

/// A message from a server of the real-time protocol.
package enum RealTimeServerMessage: Sendable, Hashable {
    /// The server accepts the connection. If the server sends nothing for this number of milliseconds, the client treats the
    /// connection as dead.
    case connectionAck(timeoutMilliseconds: Int64)
    /// The connection is alive.
    case keepAlive
    /// A subscription has started.
    case startAck(id: String)
    /// The message of a subscription: a GraphQL response, as JSON.
    case data(id: String, payload: [UInt8])
    /// A subscription has ended.
    case complete(id: String)
    /// A subscription has failed. Without an id, the connection has failed.
    case error(id: String?, RealTimeError)
    /// The server refuses the connection.
    case connectionError(RealTimeError)
}

extension RealTimeServerMessage {
    /// The text before the payload of a data message. It is the same for all messages of one subscription.
    package static func dataHead(id: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write("data", id, to: &writer)
        writer.key("payload")
        writer.null()
        writer.endObject()
        return Array(writer.bytes.dropLast("null}".utf8.count))
    }

    /// The text after the payload of a data message.
    package static let dataTail = Array("}".utf8)

    /// The message as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .connectionAck(let timeout):
            Self.write("connection_ack", nil, to: &writer)
            writer.key("payload")
            writer.beginObject()
            writer.key("connectionTimeoutMs")
            writer.int(timeout)
            writer.endObject()
        case .keepAlive: Self.write("ka", nil, to: &writer)
        case .startAck(let id): Self.write("start_ack", id, to: &writer)
        case .data(let id, let payload):
            Self.write("data", id, to: &writer)
            writer.key("payload")
            payload.withUnsafeBytes { writer.rawValue($0) }
        case .complete(let id): Self.write("complete", id, to: &writer)
        case .error(let id, let error):
            Self.write("error", id, to: &writer)
            Self.write(error, to: &writer)
        case .connectionError(let error):
            Self.write("connection_error", nil, to: &writer)
            Self.write(error, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ type: String, _ id: String?, to writer: inout JSONWriter) {
        if let id {
            writer.key("id")
            writer.string(id)
        }
        writer.key("type")
        writer.string(type)
    }

    private static func write(_ error: RealTimeError, to writer: inout JSONWriter) {
        writer.key("payload")
        writer.beginObject()
        writer.key("errors")
        writer.beginArray()
        writer.beginObject()
        writer.key("errorType")
        writer.string(error.errorType)
        writer.key("message")
        writer.string(error.message)
        if let code = error.errorCode {
            writer.key("errorCode")
            writer.int(code)
        }
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }

    /// Parses a message; `nil` if its type is one that clients ignore.
    package static func read(_ text: [UInt8]) throws(MalformedMessage) -> RealTimeServerMessage? {
        do { return try JSONReader.read(text) { try read(&$0) } } catch { throw MalformedMessage() }
    }

    private static func read(_ reader: inout JSONReader) throws -> RealTimeServerMessage? {
        var (type, id) = (String?.none, String?.none)
        var payload: [UInt8]?
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            switch key {
            case "type": type = try reader.readString()
            case "id": id = try reader.readNullIfPresent() ? nil : try reader.readString()
            case "payload": payload = try reader.readNullIfPresent() ? nil : Array(try reader.readRawValue())
            default: try reader.skipValue()
            }
        }
        try reader.expectEnd()
        switch (type, id) {
        case ("connection_ack"?, _):
            // If the message gives no time, the default is five minutes, as in AppSync's documentation.
            return .connectionAck(timeoutMilliseconds: try payload.flatMap(timeout) ?? 300_000)
        case ("ka"?, _): return .keepAlive
        case ("start_ack"?, let id?): return .startAck(id: id)
        case ("data"?, let id?):
            guard let payload else { throw MalformedMessage() }
            return .data(id: id, payload: payload)
        case ("complete"?, let id?): return .complete(id: id)
        case ("error"?, _): return .error(id: id, try error(payload))
        case ("connection_error"?, _): return .connectionError(try error(payload))
        case (nil, _), ("start_ack"?, nil), ("data"?, nil), ("complete"?, nil): throw MalformedMessage()
        default: return nil
        }
    }

    private static func timeout(_ payload: [UInt8]) throws -> Int64? {
        try JSONReader.read(payload) { reader in
            var timeout: Int64?
            try reader.beginObject()
            while let key = try reader.nextKey()?.string {
                if key == "connectionTimeoutMs" { timeout = try reader.readInt64() } else { try reader.skipValue() }
            }
            return timeout
        }
    }

    /// The first error in the payload. Some servers send an object with `errors`, and some send the list itself.
    private static func error(_ payload: [UInt8]?) throws -> RealTimeError {
        guard let payload else { return RealTimeError("UnknownError", "The server gave no reason.") }
        return try JSONReader.read(payload) { reader in
            var found: RealTimeError?
            let kind = try reader.peekKind()
            if kind == .array {
                found = try firstError(&reader)
            } else {
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    if key == "errors", try reader.peekKind() == .array {
                        found = try firstError(&reader)
                    } else {
                        try reader.skipValue()
                    }
                }
            }
            return found ?? RealTimeError("UnknownError", "The server gave no reason.")
        }
    }

    private static func firstError(_ reader: inout JSONReader) throws -> RealTimeError? {
        var first: RealTimeError?
        try reader.beginArray()
        while try reader.nextElement() {
            guard first == nil, try reader.peekKind() == .object else {
                try reader.skipValue()
                continue
            }
            var error = RealTimeError("UnknownError", "The server gave no reason.")
            try reader.beginObject()
            while let key = try reader.nextKey()?.string {
                switch (key, try reader.peekKind()) {
                case ("errorType", .string): error.errorType = try reader.readString()
                case ("message", .string): error.message = try reader.readString()
                case ("errorCode", .number): error.errorCode = try reader.readInt64()
                default: try reader.skipValue()
                }
            }
            first = error
        }
        return first
    }
}
