@_spi(Adapters) internal import TidelogCore

/// The column of one field.
struct Column {
    let field: FieldLayout
    let storage: Storage
    /// The column's name, or `nil` if this table does not have the column yet. In that case, all values are missing.
    let name: String?
    /// The name of the column of the field's instant, or `nil` if there is none.
    let instantName: String?
    /// The number of the value's parameter. The instant's parameter is the next one.
    let parameter: Int32
    let isIndexed: Bool

    /// The ways in which values are stored in the file.
    enum Storage {
        case text, int, double, bool
        /// A text, with its instant in a separate column.
        case temporal
        /// The instant and then the text, in one blob.
        case packedTemporal
        case blob
    }

    /// The place of the field's value. It can be copied without counting references.
    struct Place {
        let slot: Int
        let storage: Storage
        let parameter: Int32
        let isStored: Bool
        let isIndexed: Bool
    }

    init(field: FieldLayout, name: String?, instantName: String?, parameter: Int32, isIndexed: Bool) {
        self.field = field
        self.name = name
        self.instantName = instantName
        self.parameter = parameter
        self.isIndexed = isIndexed
        storage = Self.storage(of: field)
    }

    /// The largest field number with a separate column for the instant. It is limited because a table has at most 2,000
    /// columns.
    private static let lastNumberWithInstant = 990

    static func storage(of field: FieldLayout) -> Storage {
        switch field.type {
        case .id, .string, .enumeration: .text
        case .int, .timestamp: .int
        case .double: .double
        case .bool: .bool
        case .date, .time, .dateTime: field.slot < lastNumberWithInstant ? .temporal : .packedTemporal
        case .embedded, .list: .blob
        }
    }

    static func hasInstant(_ field: FieldLayout) -> Bool { storage(of: field) == .temporal }
}
