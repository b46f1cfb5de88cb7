/// Makes a ``FieldValue`` of a value that is `Encodable`.
///
/// A value with keys becomes an embedded value, and a value without keys a list. The fields of a superclass are in the same
/// embedded value as the fields of its subclass.
final class FieldValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private var content = Content.missing

    private enum Content {
        case missing
        case single(FieldValue)
        case fields([String: Nested])
        case elements([Nested])
    }

    /// A part of the value: it is complete, or another encoder still collects it.
    fileprivate enum Nested {
        case value(FieldValue?)
        case encoder(FieldValueEncoder)

        var value: FieldValue? {
            switch self {
            case .value(let value): value
            case .encoder(let encoder): encoder.value
            }
        }
    }

    private init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// The fields that `value` encodes. A field without a value has no entry.
    ///
    /// - Throws: errors of `value`, and `EncodingError` if it does not use keys.
    static func fields(of value: some Encodable) throws -> [String: FieldValue] {
        let encoder = FieldValueEncoder(codingPath: [])
        try value.encode(to: encoder)
        guard case .embedded(let fields)? = encoder.value else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "a model is encoded with keys"))
        }
        return fields
    }

    private var value: FieldValue? {
        switch content {
        case .missing: nil
        case .single(let value): value
        case .fields(let fields): .embedded(fields.compactMapValues(\.value))
        case .elements(let elements): .list(elements.map(\.value))
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .fields = content {} else { content = .fields([:]) }
        return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .elements = content {} else { content = .elements([]) }
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    /// The value of `value`. The types that fields can have are not asked to encode themselves.
    private func nested(_ value: some Encodable, at key: (any CodingKey)?) throws -> FieldValue? {
        if let number = value as? any BinaryInteger & Encodable {
            guard let exact = Int64(exactly: number) else { throw invalid(value, "it has more than 64 bits", key) }
            return .int(exact)
        }
        if let value = value as? Float { return .double(Double(value)) }
        if let value = value as? any FieldConvertible { return value.fieldValue }
        let encoder = encoder(at: key)
        try value.encode(to: encoder)
        return encoder.value
    }

    private func encoder(at key: (any CodingKey)?) -> FieldValueEncoder {
        FieldValueEncoder(codingPath: codingPath + (key.map { [$0] } ?? []))
    }

    private func invalid(_ value: some Encodable, _ reason: String, _ key: (any CodingKey)?) -> EncodingError {
        let path = codingPath + (key.map { [$0] } ?? [])
        return EncodingError.invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    private func set(_ nested: Nested, at key: any CodingKey) {
        guard case .fields(var fields) = content else { preconditionFailure("one value is encoded in one way") }
        content = .missing
        fields[key.stringValue] = nested
        content = .fields(fields)
    }

    private func append(_ nested: Nested) {
        guard case .elements(var elements) = content else { preconditionFailure("one value is encoded in one way") }
        content = .missing
        elements.append(nested)
        content = .elements(elements)
    }

    private var elementCount: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

    // MARK: Containers

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: FieldValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) { encoder.set(.value(nil), at: key) }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            encoder.set(.value(try encoder.nested(value, at: key)), at: key)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { superEncoder(forKey: key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            superEncoder(forKey: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder }

        func superEncoder(forKey key: Key) -> any Encoder {
            let nested = encoder.encoder(at: key)
            encoder.set(.encoder(nested), at: key)
            return nested
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: FieldValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.elementCount }

        func encodeNil() { encoder.append(.value(nil)) }

        func encode<Value: Encodable>(_ value: Value) throws {
            encoder.append(.value(try encoder.nested(value, at: nil)))
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> { superEncoder().container(keyedBy: type) }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

        func superEncoder() -> any Encoder {
            let nested = encoder.encoder(at: nil)
            encoder.append(.encoder(nested))
            return nested
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: FieldValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.content = .missing }

        func encode<Value: Encodable>(_ value: Value) throws {
            encoder.content = try encoder.nested(value, at: nil).map { .single($0) } ?? .missing
        }
    }
}
