@_spi(Adapters) internal import TidelogCore
internal import TidelogRecordText

/// A model with its fields, its indexes and the number of its records.
struct ModelReport: Encodable, Sendable {
    let name: String
    let rows: Int
    let fields: [Field]
    let indexes: [Index]
    /// Whether its records are never sent to a server.
    let isLocalOnly: Bool

    /// A field, which is a column of a table.
    struct Field: Encodable, Sendable {
        let name: String
        let type: String
        let isNumber: Bool
        let isKey: Bool
        let isRequired: Bool
        /// Whether only a server sets it. Its column is hidden where it is empty.
        let isReadOnly: Bool
        /// Whether records can be sorted by it.
        let isOrdered: Bool

        init(_ field: FieldLayout, of model: ModelLayout) {
            name = field.name
            type = field.type.sdl
            isNumber = field.type.isNumber
            isKey = model.keyFields.contains { $0.slot == field.slot }
            isRequired = field.isRequired
            isReadOnly = field.schema.isReadOnly
            isOrdered = field.type.isOrdered
        }
    }

    /// An index by which queries find records.
    struct Index: Encodable, Sendable {
        let name: String
        let fields: [String]
    }

    init(_ model: ModelLayout, rowCount: Int) {
        name = model.name
        rows = rowCount
        fields = Field.all(of: model)
        indexes = model.indexes.map { Index(name: $0.name, fields: $0.fields.map(\.name)) }
        isLocalOnly = model.isLocalOnly
    }
}

extension ModelReport.Field {
    /// The fields of `model`, in the order of the schema.
    static func all(of model: ModelLayout) -> [Self] {
        model.row.fields.sorted { $0.ordinal < $1.ordinal }.map { Self($0, of: model) }
    }
}
