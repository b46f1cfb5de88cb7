/// What comes after one record in the order of a query: as queries that, one after the other, find it in that order.
///
/// First come the records whose sorted fields are the same, from that record's key on; then those that share all fields
/// but the last and come after it in that; and so on up to the first. Each is a range of an index, if there is one.
struct QueryContinuation {
    /// One of the queries: its predicate besides the query's own, its order, and the key after which it begins.
    struct Part {
        let predicate: QueryPredicate
        let sort: Sort
        let afterKey: [UInt8]?
    }

    let parts: [Part]

    /// What comes after the record under `key` that has `values` in the fields that `query` sorts by.
    init(of query: StorageQuery, after values: [FieldValue?], _ key: [UInt8]) {
        let sort = query.sort
        func equal(_ count: Int) -> [QueryPredicate] {
            zip(sort, values).prefix(count).map { .field($0.field.name, .equal($1)) }
        }
        func order(from start: Int) -> Sort {
            Sort(sort[start...].map { Sort.Key($0.field.name, isDescending: $0.isDescending) })
        }
        var parts = [Part(predicate: .and(equal(sort.count)), sort: .byKey, afterKey: key)]
        func add(_ index: Int, _ comparison: QueryPredicate.Comparison, sortedFrom start: Int) {
            let predicate = QueryPredicate.and(equal(index) + [.field(sort[index].field.name, comparison)])
            parts.append(Part(predicate: predicate, sort: order(from: start), afterKey: nil))
        }
        for index in sort.indices.reversed() {
            // Missing values come first, in descending order last.
            switch (values[index], sort[index].isDescending) {
            case (nil, false): add(index, .notEqual(nil), sortedFrom: index)
            case (nil, true): break
            case (let value?, false): add(index, .greater(value), sortedFrom: index)
            case (let value?, true):
                add(index, .less(value), sortedFrom: index)
                if !sort[index].field.isRequired { add(index, .equal(nil), sortedFrom: index + 1) }
            }
        }
        self.parts = parts
    }
}
