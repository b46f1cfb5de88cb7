internal import TidelogJSON

/// A message from a client of the real-time protocol: JSON text over a WebSocket with the subprotocol `graphql-ws`.
package enum RealTimeClientMessage: Sendable, Hashable {
    /// The client begins the protocol.
    case connectionInit
    /// The client starts a subscription.
    case start(Start)
    /// The client ends a subscription.
    case stop(id: String)
    /// A message of any other type.
    case unknown(type: String, id: String?)

    /// The details of a subscription that a client starts.
    package struct Start: Sendable, Hashable {
        /// The client's id for the subscription.
        package var id: String
        /// The GraphQL request, as JSON.
        package var request: String
        /// The headers with the credentials. Their names are in lower case.
        package var authorization: [String: String]

        package init(id: String, request: String, authorization: [String: String]) {
            self.id = id
            self.request = request
            self.authorization = authorization
        }
    }

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
            return .start(Start(id: id, request: request, authorization: authorization))
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

    /// The message as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .connectionInit: Self.write("connection_init", nil, to: &writer)
        case .start(let start):
            Self.write("start", start.id, to: &writer)
            writer.key("payload")
            writer.beginObject()
            writer.key("data")
            writer.string(start.request)
            writer.key("extensions")
            writer.beginObject()
            writer.key("authorization")
            RealTimeAuthorization.write(start.authorization, to: &writer)
            writer.endObject()
            writer.endObject()
        case .stop(let id): Self.write("stop", id, to: &writer)
        case .unknown(let type, let id): Self.write(type, id, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ type: String, _ id: String?, to writer: inout JSONWriter) {
        writer.key("type")
        writer.string(type)
        if let id {
            writer.key("id")
            writer.string(id)
        }
    }
}
