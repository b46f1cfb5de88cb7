extension JSONValue {
    /// Parses one JSON text to its end.
    ///
    /// - Throws: ``JSONError`` if the text is malformed, is beyond a limit, or contains a number that is neither an exact
    ///   64-bit integer nor a finite double.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) -> JSONValue in
            let value = try JSONValue(reading: &reader)
            try reader.expectEnd()
            return value
        }
    }

    /// Reads the next value.
    ///
    /// - Throws: The errors of ``init(parsing:limits:)``.
    public init(reading reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .null:
            try reader.readNull()
            self = .null
        case .bool: self = try .bool(reader.readBool())
        case .string: self = try .string(reader.readString())
        case .number: self = try reader.peekIsInteger() ? .int(reader.readInt64()) : .double(reader.readDouble())
        case .array:
            // The reader's depth limit bounds the recursion.
            try reader.beginArray()
            var elements: [JSONValue] = []
            while try reader.nextElement() { elements.append(try JSONValue(reading: &reader)) }
            self = .array(elements)
        case .object:
            try reader.beginObject()
            var members: [JSONMember] = []
            while let key = try reader.nextKey() {
                members.append(JSONMember(key.string, try JSONValue(reading: &reader)))
            }
            self = .object(members)
        }
    }

    /// Writes the value.
    ///
    /// - Precondition: Every double is finite, and the nesting is at most ``JSONLimits/deepest``.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(value)
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    /// The value's JSON text.
    ///
    /// - Precondition: The precondition of ``write(to:)``.
    public func bytes(style: JSONWriter.Style = .compact) -> [UInt8] {
        var writer = JSONWriter(style: style)
        write(to: &writer)
        return writer.bytes
    }
}

extension JSONReader {
    /// Whether the next number has neither a fraction nor an exponent. Nothing is consumed.
    fileprivate func peekIsInteger() throws(JSONError) -> Bool {
        var ahead = self
        return try ahead.readNumber().isInteger
    }
}
