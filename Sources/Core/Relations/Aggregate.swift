/// A value that is computed from the records of a query, for example a sum.
///
/// ```swift
/// let total = try await store.fetch(Item.where(Item.keys.isPaid == true).sum(Item.keys.price))
/// ```
///
/// Only the records of the query's page count.
public struct Aggregate<Value: Sendable>: Sendable {
    let compute: @Sendable (RelatedReader) throws -> Value
}

extension Query where Target: Model {
    /// The least value of `field`, or `nil` if no record has a value.
    ///
    /// With an index that begins with the field this reads one record, unless the query has a page.
    public func min<Value: Sendable>(_ field: Field<Target, Value>) -> Aggregate<Value?> {
        Aggregate { [self] in try $0.extreme(of: field, self, isDescending: false) }
    }

    /// The greatest value of `field`, or `nil` if no record has a value.
    ///
    /// With an index that begins with the field this reads one record, unless the query has a page.
    public func max<Value: Sendable>(_ field: Field<Target, Value>) -> Aggregate<Value?> {
        Aggregate { [self] in try $0.extreme(of: field, self, isDescending: true) }
    }

    /// The sum of `field`. A missing value counts as 0.
    ///
    /// Reading it throws ``DataStoreError`` with code `invalidValue` if the sum does not fit into 64 bits.
    public func sum(_ field: Field<Target, Int>) -> Aggregate<Int> {
        Aggregate { [self] reader in
            var sum: Int64 = 0
            try reader.forEachValue(of: field, self) { row, slot in
                let (next, overflows) = sum.addingReportingOverflow(try row.int(slot) ?? 0)
                guard !overflows else {
                    throw DataStoreError(
                        .invalidValue, "The sum of \(model).\(field.name) does not fit 64 bits.", model: model,
                        recovery: "Sum fewer records, or use average.")
                }
                sum = next
            }
            return Int(sum)
        }
    }

    /// The sum of `field`, added in the order of the query. A missing value counts as 0.
    public func sum(_ field: Field<Target, Double>) -> Aggregate<Double> {
        Aggregate { [self] reader in
            var sum = 0.0
            try reader.forEachValue(of: field, self) { row, slot in sum += try row.double(slot) ?? 0 }
            return sum
        }
    }

    /// The mean of `field` over the records that have a value, or `nil` if none has.
    public func average(_ field: Field<Target, Int>) -> Aggregate<Double?> {
        average(field) { row, slot in try row.int(slot).map { Double($0) } }
    }

    /// The mean of `field` over the records that have a value, or `nil` if none has.
    public func average(_ field: Field<Target, Double>) -> Aggregate<Double?> {
        average(field) { row, slot in try row.double(slot) }
    }

    private func average<Value>(
        _ field: Field<Target, Value>, _ number: @escaping @Sendable (RowView, Int) throws -> Double?
    ) -> Aggregate<Double?> {
        Aggregate { [self] reader in
            var (sum, count) = (0.0, 0)
            try reader.forEachValue(of: field, self) { row, slot in
                guard let value = try number(row, slot) else { return }
                sum += value
                count += 1
            }
            return count == 0 ? nil : sum / Double(count)
        }
    }
}

extension RelatedReader {
    /// The least or greatest value of a field.
    ///
    /// With an index this takes one read. Without an index all rows are scanned, and one of them is kept.
    fileprivate func extreme<Target, Value>(
        of field: Field<Target, Value>, _ query: Query<Target>, isDescending: Bool
    ) throws -> Value? {
        guard query.page == .all else { return try extremeOfPage(field, query, isDescending: isDescending) }
        let model = try layout.model(of: query)
        var value: FieldValue?
        let sorted = query.adding(.field(field.name, .notEqual(nil)))
            .sorted(by: Sort([Sort.Key(field.name, isDescending: isDescending)])).limit(1)
        try RecordQuery(sorted, model, in: self).fetch { row in
            guard let layout = model.row.field(named: field.name) else { return false }
            value = try FieldValue(row.row, field: layout)
            return false
        }
        return value.flatMap { Value(fieldValue: $0) }
    }

    /// The least or greatest value of a field on a page, whose records are all read.
    private func extremeOfPage<Target, Value>(
        _ field: Field<Target, Value>, _ query: Query<Target>, isDescending: Bool
    ) throws -> Value? {
        let model = try layout.model(of: query)
        let layout = try model.required(field)
        var (place, value): ([UInt8]?, FieldValue?)
        try RecordQuery(query, model, in: self).fetch { row in
            guard let next = try [layout].orderedBytes(of: row.row) else { return true }
            let isBetter = place.map { isDescending ? $0.precedes(next) : next.precedes($0) } ?? true
            if isBetter { (place, value) = (next, try FieldValue(row.row, field: layout)) }
            return true
        }
        return value.flatMap { Value(fieldValue: $0) }
    }

    fileprivate func forEachValue<Target, Value>(
        of field: Field<Target, Value>, _ query: Query<Target>, _ body: (RowView, Int) throws -> Void
    ) throws {
        let model = try layout.model(of: query)
        let slot = try model.required(field).slot
        try RecordQuery(query, model, in: self).fetch { row in
            try body(row.row, slot)
            return true
        }
    }
}

extension ModelLayout {
    /// The layout of `field`.
    fileprivate func required<Target, Value>(_ field: Field<Target, Value>) throws -> FieldLayout {
        guard let found = row.field(named: field.name) else {
            throw DataStoreError.unknownField(field.name, of: name, among: row.fields.map(\.name))
        }
        return found
    }
}
