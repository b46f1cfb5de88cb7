import TidelogJSON

/// The code with which skipping over the text as one document ends, nil if it is valid.
func code(ofSkipping bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in try reader.skipValue() }?.code
}

/// The code with which walking over the text's tokens ends, nil if it is valid.
func code(ofTokens bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in
        while true {
            if case .endOfText = try reader.next() { return }
        }
    }?.code
}

/// The code with which making a tree of the text ends, nil if it is valid.
func code(ofParsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError.Code? {
    failure(bytes, limits: limits) { reader throws(JSONError) in _ = try JSONValue(reading: &reader) }?.code
}

/// The error with which `body` and then the document's end are refused.
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

/// What `body` writes.
func written(style: JSONWriter.Style = .compact, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(style: style)
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}
