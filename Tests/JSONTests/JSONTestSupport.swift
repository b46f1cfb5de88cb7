import TidelogJSON

/// The code of the error that skipping the whole document throws; `nil` if the document is valid.
func code(ofSkipping bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in try reader.skipValue() }?.code
}

/// The code of the error that reading all tokens throws; `nil` if the document is valid.
func code(ofTokens bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in
        while true {
            if case .endOfText = try reader.next() { return }
        }
    }?.code
}

/// The code of the error that parsing the document to a tree throws; `nil` if the document is valid.
func code(ofParsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in _ = try JSONValue(reading: &reader) }?.code
}

/// The error that `body` throws, or that the check for the end of the document throws; `nil` if there is none.
func failure(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start,
    _ body: (inout JSONReader) throws(JSONError) -> Void
) -> JSONError? {
    do throws(JSONError) {
        try JSONReader.read(bytes, limits: limits, origin: origin) { (reader) throws(JSONError) in
            try body(&reader)
            try reader.expectEnd()
        }
        return nil
    } catch {
        return error
    }
}

func failure(
    _ text: String, limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start,
    _ body: (inout JSONReader) throws(JSONError) -> Void
) -> JSONError? {
    failure(Array(text.utf8), limits: limits, origin: origin, body)
}

/// Reads one document with `body`.
func read<Value>(_ text: String, _ body: (inout JSONReader) throws(JSONError) -> Value) throws(JSONError) -> Value {
    try JSONReader.read(Array(text.utf8)) { (reader) throws(JSONError) -> Value in
        let value = try body(&reader)
        try reader.expectEnd()
        return value
    }
}

/// The text that `body` writes.
func written(style: JSONWriter.Style = .compact, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(style: style)
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}
