/// Gives the parts of a ``FieldValue`` to a type that is `Decodable`.
struct FieldValueDecoder: Decoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let value: FieldValue?

    init(_ value: FieldValue?, codingPath: [any CodingKey] = []) {
        self.value = value
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .embedded(let fields)? = value else { throw mismatch([String: FieldValue].self) }
        return KeyedDecodingContainer(Keyed(decoder: self, fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements)? = value else { throw mismatch([FieldValue?].self) }
        return Unkeyed(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    /// The value as `type`. The types that fields can have are not asked to decode themselves.
    private func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let integer = type as? any (FixedWidthInteger & Decodable).Type {
            guard case .int(let number)? = value, let exact = integer.init(exactly: number) as? Value else {
                throw mismatch(type)
            }
            return exact
        }
        if type == Float.self, case .double(let number)? = value, let number = Float(number) as? Value {
            return number
        }
        if let convertible = type as? any FieldConvertible.Type {
            guard let value, let converted = convertible.init(fieldValue: value) as? Value else { throw mismatch(type) }
            return converted
        }
        return try Value(from: self)
    }

    private func mismatch<Value>(_ type: Value.Type) -> DecodingError {
        let description = value == nil ? "there is no value" : "the value has another type"
        return DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: description))
    }

    private func nested(_ value: FieldValue?, at key: any CodingKey) -> FieldValueDecoder {
        FieldValueDecoder(value, codingPath: codingPath + [key])
    }

    // MARK: Containers

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: FieldValueDecoder
        let fields: [String: FieldValue]
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { fields.keys.sorted().compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

        func decodeNil(forKey key: Key) -> Bool { !contains(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try superDecoder(at: key).decoded(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { try superDecoder(at: key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try superDecoder(at: key).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { decoder }

        func superDecoder(forKey key: Key) -> any Decoder { superDecoder(at: key) }

        private func superDecoder(at key: Key) -> FieldValueDecoder {
            decoder.nested(fields[key.stringValue], at: key)
        }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: FieldValueDecoder
        let elements: [FieldValue?]
        private(set) var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }

        private struct Index: CodingKey {
            let intValue: Int?
            var stringValue: String { "Index \(intValue ?? 0)" }
            init(intValue: Int) { self.intValue = intValue }
            init?(stringValue: String) { nil }
        }

        init(decoder: FieldValueDecoder, elements: [FieldValue?]) {
            self.decoder = decoder
            self.elements = elements
        }

        mutating func decodeNil() -> Bool {
            guard !isAtEnd, elements[currentIndex] == nil else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decoded(type) }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> { try next().container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

        mutating func superDecoder() throws -> any Decoder { try next() }

        /// The decoder of the next element.
        private mutating func next() throws -> FieldValueDecoder {
            guard !isAtEnd else {
                let context = DecodingError.Context(codingPath: codingPath, debugDescription: "the list has ended")
                throw DecodingError.valueNotFound(FieldValue.self, context)
            }
            defer { currentIndex += 1 }
            return decoder.nested(elements[currentIndex], at: Index(intValue: currentIndex))
        }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: FieldValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.value == nil }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decoded(type) }
    }
}
