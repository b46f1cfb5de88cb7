/// The part of a query's result after one record, as several queries whose results follow each other in the query's order.
///
/// The first query finds the records with the same values in all sorted fields, after that record's key. The next query finds
/// the records with the same values in all sorted fields except the last, and a later value in the last. This continues up to
/// the first sorted field. Each query is a range of an index, if there is one.
struct QueryContinuation {
    /// One of these queries: a predicate in addition to the query's own, its order, and the key after which it begins.
    struct Part {
        let predicate: QueryPredicate
        let sort: Sort
        let afterKey: [UInt8]?
    }

    let parts: [Part]

    /// The part of the result of `query` after the record with `key`, which has `values` in the sorted fields.
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
            // Missing values come first in ascending order and last in descending order.
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
