@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

extension JSONWriter {
    /// Writes a member whose value is a whole number.
    mutating func member(_ name: String, _ value: some BinaryInteger) {
        key(name)
        int(Int64(clamping: value))
    }

    /// Writes a member whose value is a text.
    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member whose value is a list of texts.
    mutating func texts(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a member whose value is true or false.
    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member whose value is a text, or null if there is none.
    mutating func member(_ name: String, orNull value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    /// Writes a member whose value is an object with the members that `body` writes.
    mutating func object(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
        key(name)
        try object(body)
    }

    /// Writes an object with the members that `body` writes.
    mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes a member whose value is a list of objects, one for each of `elements`, with the members that `body` writes.
    mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ body: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        key(name)
        beginArray()
        for element in elements { try object { try body(&$0, element) } }
        endArray()
    }

    /// An object with the members that `body` writes, as one line.
    static func line(_ body: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        var writer = JSONWriter()
        try writer.object(body)
        writer.endLine()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes the id of a record: the value of its key field, or an array if the model has several key fields.
    mutating func id(_ id: RecordID) {
        if id.components.count == 1 { return scalar(id.components[0]) }
        beginArray()
        for component in id.components { scalar(component) }
        endArray()
    }

    private mutating func scalar(_ value: FieldValue) {
        switch value {
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .bool(let value): bool(value)
        default: string(value.text)
        }
    }
}
