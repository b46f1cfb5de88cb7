@_spi(Adapters) package import TidelogCore

/// A query in the form for a database with SQL, and the work that remains for its rows.
package struct TranslatedQuery {
    /// The conditions, all of which hold for every row of the result.
    package let conditions: [Condition]
    /// The sorted fields. The key follows them.
    package let sort: [(field: FieldLayout, isDescending: Bool)]
    /// Whether the result is sorted only by key, in descending order.
    package let isDescending: Bool
    package let page: Page
    /// Whether the database applies the page. This is possible only if the database checks all conditions.
    package let isPaged: Bool

    /// Translates `query`.
    ///
    /// - Parameters:
    ///   - idGroup: The group of all IDs in the table, if the query depends on it.
    ///   - takesZeroCharacters: Whether the database can store and compare texts with U+0000.
    package init(_ query: StorageQuery, idGroup: IDKeyGroup?, takesZeroCharacters: Bool) {
        page = query.page
        let translated = PredicateTranslation(
            model: query.model, idGroup: idGroup, takesZeroCharacters: takesZeroCharacters
        ).translate(query.predicate)
        isPaged = translated.isComplete
        let after = query.afterKey.map { [Condition.key(.greater, $0)] } ?? []
        conditions = after + translated.conditions
        let isKeyOrder = Self.isKeyOrder(query, idGroup)
        sort = isKeyOrder == nil ? query.sort : []
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
