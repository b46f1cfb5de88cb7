internal import TidelogJSON

extension RealTimeClientMessage {
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
