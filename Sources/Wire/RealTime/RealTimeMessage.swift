internal import TidelogJSON

/// A message from a client of the real-time protocol: JSON text over a WebSocket with the subprotocol `graphql-ws`.
package enum RealTimeClientMessage: Sendable, Hashable {
    /// The client begins the protocol.
    case connectionInit
    /// The client starts a subscription.
    case start(RealTimeStart)
    /// The client ends a subscription.
    case stop(id: String)
    /// A message of any other type.
    case unknown(type: String, id: String?)
}

/// The details of a subscription that a client starts.
package struct RealTimeStart: Sendable, Hashable {
    /// The client's id for the subscription.
    package var id: String
    /// The GraphQL request, as JSON.
    package var request: String
    /// The headers with the credentials. Their names are in lower case.
    package var authorization: [String: String]

    package init(id: String, request: String, authorization: [String: String]) {
        (self.id, self.request, self.authorization) = (id, request, authorization)
    }
}

/// A text is not a valid message.
package struct MalformedMessage: Error, Sendable {
    package init() {}
}

extension RealTimeClientMessage {
    /// Parses a message.
    package init(_ text: [UInt8]) throws(MalformedMessage) {
        do { self = try JSONReader.read(text) { try Self.read(&$0) } } catch { throw MalformedMessage() }
    }

    private static func read(_ reader: inout JSONReader) throws -> RealTimeClientMessage {
        var (type, id) = (String?.none, String?.none)
        var (request, authorization) = (String?.none, [String: String]())
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            switch key {
            case "type": type = try reader.readString()
            case "id": id = try reader.readString()
            case "payload":
                guard try reader.peekKind() == .object else {
                    try reader.skipValue()
                    continue
                }
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    switch key {
                    case "data": request = try reader.readString()
                    case "extensions": authorization = try Self.authorization(&reader)
                    default: try reader.skipValue()
                    }
                }
            default: try reader.skipValue()
            }
        }
        switch (type, id) {
        case ("connection_init"?, _): return .connectionInit
        case ("start"?, let id?):
            guard let request else { throw MalformedMessage() }
            return .start(RealTimeStart(id: id, request: request, authorization: authorization))
        case ("stop"?, let id?): return .stop(id: id)
        case (let type?, let id) where type != "start" && type != "stop": return .unknown(type: type, id: id)
        default: throw MalformedMessage()
        }
    }

    private static func authorization(_ reader: inout JSONReader) throws -> [String: String] {
        var headers: [String: String] = [:]
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            guard key == "authorization" else {
                try reader.skipValue()
                continue
            }
            headers = try RealTimeAuthorization.read(&reader)
        }
        return headers
    }
}

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

/// The reason why a server of the real-time protocol refuses something.
package struct RealTimeError: Error, Sendable, Hashable {
    /// The type of the error.
    package var errorType: String
    /// The reason, as one sentence.
    package var message: String
    /// The corresponding HTTP status. Clients treat 400, 401 and 403 as final.
    package var errorCode: Int64?

    package init(_ errorType: String, _ message: String, errorCode: Int64? = nil) {
        (self.errorType, self.message, self.errorCode) = (errorType, message, errorCode)
    }
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
}
