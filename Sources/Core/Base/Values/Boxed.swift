/// A property wrapper that keeps a value on the heap, so that a struct can contain a value of its own type.
///
/// Generated types use it if the schema's types contain themselves: `@Boxed public var next: Node?`. A box is encoded
/// and decoded as the value itself.
@propertyWrapper
public struct Boxed<Value> {
    private var link: ChainLink<Value>

    /// The value.
    public var wrappedValue: Value {
        get { link.value }
        set { link = ChainLink(newValue) }
    }

    /// Creates a box that contains `wrappedValue`.
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
    /// Decodes a value that may be missing. The code that the compiler synthesizes for a boxed optional property calls
    /// this method.
    public func decode<Value: Decodable>(_ type: Boxed<Value?>.Type, forKey key: Key) throws -> Boxed<Value?> {
        Boxed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is missing. The code that the compiler synthesizes for a boxed optional property calls
    /// this method.
    public mutating func encode<Value: Encodable>(_ value: Boxed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
