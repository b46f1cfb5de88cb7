internal import TidelogJSON

extension RealTimeServerMessage {
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
