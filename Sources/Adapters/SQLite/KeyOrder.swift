@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// How SQLite returns rows in the order of their keys.
enum KeyOrder {
    /// SQLite follows the index of the keys, and looks up each row. These are at different places in the table.
    case followed
    /// SQLite reads the table, or an index of the conditions, and sorts the rows that satisfy the conditions. If these are
    /// larger than its cache, it sorts in a temporary file.
    case sorted

    /// The faster order for `query`, whose rows are in a table with `shape`.
    ///
    /// Rows are only sorted if conditions exclude some, if the whole result is wanted, and if no index has them in the order of
    /// their keys.
    init(for query: TranslatedQuery, _ shape: TableShape) {
        let isSorted =
            query.sort.isEmpty && query.page.limit == nil && !query.conditions.isEmpty
            && !query.conditions.contains { $0.hasKeyOrder(in: shape.model) }
        self = isSorted ? .sorted : .followed
    }
}

extension Condition {
    /// Whether an index has the rows of this condition in the order of their keys.
    fileprivate func hasKeyOrder(in model: ModelLayout) -> Bool {
        switch self {
        case .key, .keyAmong: true
        case .compare(let field, .equal, _), .missing(let field, true):
            model.indexes.contains { $0.fields.first?.slot == field.slot }
        default: false
        }
    }
}
