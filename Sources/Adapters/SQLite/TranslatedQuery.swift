@_spi(Adapters) internal import TidelogCore

/// A query in the form for SQLite, and the work that remains for its rows.
struct TranslatedQuery {
    let shape: TableShape
    /// The conditions, all of which hold for every row of the result.
    let conditions: [Condition]
    /// The sorted columns. The key follows them.
    let sort: [(column: Column, isDescending: Bool)]
    /// Whether the result is sorted only by key, in descending order.
    let isDescending: Bool
    let page: Page
    /// Whether SQLite applies the page. This is possible only if SQLite checks all conditions.
    let isPaged: Bool

    init(_ query: StorageQuery, shape: TableShape, idGroup: IDKeyGroup?) {
        self.shape = shape
        page = query.page
        let translated = PredicateTranslation(shape: shape, idGroup: idGroup).translate(query.predicate)
        isPaged = translated.isComplete
        let after = query.afterKey.map { [Condition.key(.greater, $0)] } ?? []
        conditions = after + translated.conditions
        let isKeyOrder = Self.isKeyOrder(query, idGroup)
        sort = isKeyOrder == nil ? query.sort.map { (shape.column(of: $0.field), $0.isDescending) } : []
        isDescending = isKeyOrder == .descending
    }

    private enum KeyOrder {
        case ascending, descending
    }

    /// Whether the sort can use the key's order, because the sorted fields are the first fields of the key.
    ///
    /// The reverse order is possible only if the fields are the whole key. In keys, UUIDs are sorted apart from other texts.
    /// Therefore IDs in several groups are sorted by their column.
    private static func isKeyOrder(_ query: StorageQuery, _ idGroup: IDKeyGroup?) -> KeyOrder? {
        guard query.sort.count <= query.model.keyFields.count else { return nil }
        let order: KeyOrder = query.sort.first?.isDescending == true ? .descending : .ascending
        if order == .descending, query.sort.count < query.model.keyFields.count { return nil }
        for (place, (sort, key)) in zip(query.sort, query.model.keyFields).enumerated() {
            guard sort.field.slot == key.slot, sort.isDescending == (order == .descending) else { return nil }
            if key.kind == .id, place > 0 || idGroup == nil { return nil }
        }
        return order
    }
}
