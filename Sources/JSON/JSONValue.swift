/// A JSON value as a tree, for tools. Code that must be fast reads and writes without a tree.
///
/// Integers stay exact: a number without fraction and exponent is ``int(_:)``, and every other number is ``double(_:)``.
/// Objects keep the order of their members, and members with repeated keys.
public enum JSONValue: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction and exponent.
    case int(Int64)
    /// A number with a fraction or an exponent. Only a finite number can be written.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object's members, in order.
    case object([Member])

    /// A key and its value.
    public struct Member: Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Makes a member of an object.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value of the first member whose key has the UTF-8 bytes of `key`; `nil` if there is none, or if the value is not an
    /// object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}

extension JSONValue: Equatable {
    /// Whether both values have the same case and are equal. Strings are compared by their UTF-8 bytes, and objects including
    /// the order of their members.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue.Member: Equatable {
    /// Whether the values are equal, and the keys have the same UTF-8 bytes.
    public static func == (left: JSONValue.Member, right: JSONValue.Member) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
}

// MARK: - Reading and writing

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
            var members: [Member] = []
            while let key = try reader.nextKey() {
                members.append(Member(key.string, try JSONValue(reading: &reader)))
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
