/// One model of a store: its number, the layout of its rows, its key and its indexes.
@_spi(Adapters) public final class ModelLayout: Sendable {
    /// The model's number in events and rows.
    public let number: UInt32
    /// The model's declaration in the schema.
    public let schema: ModelSchema
    /// The layout of the model's rows.
    public let row: RowLayout
    /// The fields of the primary key, in order.
    public let keyFields: [FieldLayout]
    /// The secondary indexes.
    public let indexes: [IndexLayout]
    /// The store's layout of the model, if this layout is the view of a build that has fewer fields.
    private let whole: ModelLayout?
    /// The rows' layout for the code that opened the store, if that code has fewer fields than the store.
    let codeRow: RowLayout?

    init(
        number: UInt32, schema: ModelSchema, row: RowLayout, indexNumbers: [String: UInt16],
        whole: ModelLayout? = nil, codeRow: RowLayout? = nil
    ) {
        self.number = number
        self.whole = whole
        self.codeRow = codeRow
        self.schema = schema
        self.row = row
        let field = { (name: String) -> FieldLayout in
            guard let field = row.field(named: name) else { preconditionFailure("the schema was validated") }
            return field
        }
        keyFields = schema.primaryKey.map(field)
        indexes = schema.indexes.map { index in
            guard let number = indexNumbers[index.name] else { preconditionFailure("every index has a number") }
            return IndexLayout(number: number, name: index.name, fields: index.fields.map(field))
        }
    }

    /// The model's name.
    public var name: String { schema.name }

    /// Whether the model's records stay in this store. Their events are never sent to a server.
    public var isLocalOnly: Bool { schema.isLocalOnly }

    /// The store's layout of the model, which has all fields, also fields that this build does not have.
    package var stored: ModelLayout { whole ?? self }

    /// Whether this layout is the view of a build that has fewer fields than the store.
    var isView: Bool { whole != nil }
}

/// One secondary index of a ``ModelLayout``.
@_spi(Adapters) public struct IndexLayout: Sendable {
    /// The index's number in stored entries. It is unique in its model.
    public let number: UInt16
    /// The index's name.
    public let name: String
    /// The indexed fields, in order.
    public let fields: [FieldLayout]
}
