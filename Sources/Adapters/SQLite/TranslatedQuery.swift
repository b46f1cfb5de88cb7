@_spi(Adapters) internal import TidelogCore

/// A query as SQLite is asked it, and what is left to do with its rows.
struct TranslatedQuery {
    let shape: TableShape
    /// All hold for every row of the result.
    let conditions: [Condition]
    /// The order, before the key.
    let sort: [(column: Column, isDescending: Bool)]
    /// Whether the key descends, which is then the whole order.
    let isDescending: Bool
    let page: Page
    /// Whether SQLite leaves out and limits rows: it can where its conditions are all there are.
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

    /// Whether the order's fields are the first fields of the key: then it is the key's own, or its reverse if the fields
    /// are the whole key. Keys order UUIDs apart from other texts, so IDs of several groups are left to their column.
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
