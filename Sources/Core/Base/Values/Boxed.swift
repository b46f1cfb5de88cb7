/// A value that is kept on the heap, so that a struct can hold another of its own type.
///
/// Generated types have it where the schema's types hold themselves: `@Boxed public var next: Node?`. It encodes and
/// decodes as the value itself.
@propertyWrapper
public struct Boxed<Value> {
    private var link: ChainLink<Value>

    /// The value.
    public var wrappedValue: Value {
        get { link.value }
        set { link = ChainLink(newValue) }
    }

    /// A box with `wrappedValue` in it.
    public init(wrappedValue: Value) { link = ChainLink(wrappedValue) }
}

extension Boxed: Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension Boxed: Hashable where Value: Hashable {
    /// Feeds the value into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Boxed: Encodable where Value: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Boxed: Decodable where Value: Decodable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }
}

extension KeyedDecodingContainer {
    /// Decodes a value that may be missing: what the compiler writes for a boxed optional property calls this.
    public func decode<Value: Decodable>(_ type: Boxed<Value?>.Type, forKey key: Key) throws -> Boxed<Value?> {
        Boxed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is missing: what the compiler writes for a boxed optional property calls this.
    public mutating func encode<Value: Encodable>(_ value: Boxed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
