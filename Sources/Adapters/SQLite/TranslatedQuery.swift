internal import TidelogCore

/// A query as SQLite is asked it, and what is left to do with its rows.
struct TranslatedQuery {
    let shape: TableShape
    /// All hold for every row of the result.
    let conditions: [Condition]
    /// The order, before the key.
    let sort: [(column: Column, isDescending: Bool)]
    let page: Page
    /// Whether SQLite leaves out and limits rows: it can where its conditions are all there are.
    let isPaged: Bool

    init(_ query: StorageQuery, shape: TableShape) {
        self.shape = shape
        page = query.page
        let translated = PredicateTranslation(shape: shape).translate(query.predicate)
        isPaged = translated.isComplete
        let after = query.afterKey.map { [Condition.key(.greater, $0)] } ?? []
        conditions = after + translated.conditions
        sort =
            Self.isKeyOrder(query)
            ? [] : query.sort.map { (shape.column(of: $0.field), $0.isDescending) }
    }

    /// Whether the order's fields are the first fields of the key, ascending: then it is the key's own. Keys order UUIDs
    /// apart from other texts, so that IDs are left to their column.
    private static func isKeyOrder(_ query: StorageQuery) -> Bool {
        query.sort.count <= query.model.keyFields.count
            && zip(query.sort, query.model.keyFields).allSatisfy { sort, key in
                guard sort.field.slot == key.slot, !sort.isDescending else { return false }
                if case .id = key.type { return false }
                return true
            }
    }
}
