internal import TidelogSynchronization

/// One field of a ``RowLayout``. It is a class, so that passing it on costs little.
@_spi(Adapters) public final class FieldLayout: Sendable {
    /// The field's declaration in the schema.
    public let schema: FieldSchema
    /// The field's place in the declaration, counted from 0.
    public let ordinal: Int
    /// The field's place in the row, counted from 0.
    public let slot: Int
    /// The field's type without the types to which it refers. Hot paths use it to decide.
    public let kind: Kind
    /// Whether every row must have a value here.
    public let isRequired: Bool
    /// The scalar whose rule the field's text, or the texts in its list, must follow. It is `nil` if there is no such rule.
    let textScalar: TextScalar?
    /// The raw texts of the enum of the field or of its list's elements, or `nil` if they have no enum.
    public let cases: Set<String>?
    /// The reference is unmanaged because embedded types may refer to each other in a circle. The model's row layout keeps them
    /// alive.
    private let embeddedReference = Atomic<Unmanaged<RowLayout>?>(nil)

    /// The kinds of ``FieldType``.
    public enum Kind: UInt8, Sendable, Hashable {
        case id, string, int, double, bool, enumeration, date, time, dateTime, timestamp, embedded, list
    }

    init(schema: FieldSchema, ordinal: Int, slot: Int, enums: [String: Set<String>] = [:]) {
        self.schema = schema
        self.ordinal = ordinal
        self.slot = slot
        kind = Kind(schema.type)
        isRequired = schema.isRequired
        textScalar = schema.scalar.flatMap(TextScalar.init)
        if case .enumeration(let name) = Self.element(of: schema.type) { cases = enums[name] } else { cases = nil }
    }

    /// Sets the embedded type of the field. An embedded type is linked after all of them exist.
    func link(_ embeddedTypes: [String: RowLayout]) {
        guard case .embedded(let name) = Self.element(of: schema.type) else { return }
        embeddedReference.store(embeddedTypes[name].map { Unmanaged.passUnretained($0) }, ordering: .releasing)
    }

    /// The type of the elements of a list at any depth, or `type` itself if it is no list.
    private static func element(of type: FieldType) -> FieldType {
        var type = type
        while case .list(let element, _) = type { type = element }
        return type
    }

    /// The layout of the embedded type of the field or of its list's elements, or `nil` if they have none.
    public var embedded: RowLayout? { embeddedReference.load(ordering: .acquiring)?.takeUnretainedValue() }
    /// The field's name.
    public var name: String { schema.name }
    /// The field's type.
    public var type: FieldType { schema.type }
}

extension FieldLayout.Kind {
    /// The kind of `type`.
    init(_ type: FieldType) {
        self =
            switch type {
            case .id: .id
            case .string: .string
            case .int: .int
            case .double: .double
            case .bool: .bool
            case .enumeration: .enumeration
            case .date: .date
            case .time: .time
            case .dateTime: .dateTime
            case .timestamp: .timestamp
            case .embedded: .embedded
            case .list: .list
            }
    }
}
