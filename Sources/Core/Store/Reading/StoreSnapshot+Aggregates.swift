extension StoreSnapshot {
    /// The least value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func min<Target: Model, Value: FieldConvertible>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) throws -> Value? {
        try extreme(field, predicate, isDescending: false)
    }

    /// The greatest value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func max<Target: Model, Value: FieldConvertible>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) throws -> Value? {
        try extreme(field, predicate, isDescending: true)
    }

    /// The sum of `field` over the records that `predicate` holds for. A missing value counts as 0.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if the sum does not fit into 64 bits.
    public func sum<Target: Model>(_ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all) throws
        -> Int
    {
        var sum: Int64 = 0
        try forEachValue(field, predicate) { row, slot in
            let (next, overflows) = sum.addingReportingOverflow(try row.int(slot) ?? 0)
            guard !overflows else {
                throw DataStoreError(
                    .invalidValue, "The sum of \(Target.schema.name).\(field.name) does not fit 64 bits.",
                    model: Target.schema.name, recovery: "Sum fewer records, or use average.")
            }
            sum = next
        }
        return Int(sum)
    }

    /// The sum of `field` over the records that `predicate` holds for, in key order. A missing value counts as 0.
    public func sum<Target: Model>(_ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all)
        throws -> Double
    {
        var sum = 0.0
        try forEachValue(field, predicate) { row, slot in sum += try row.double(slot) ?? 0 }
        return sum
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all
    ) throws -> Double? {
        var (sum, count) = (0.0, 0)
        try forEachValue(field, predicate) { row, slot in
            guard let value = try row.int(slot) else { return }
            sum += Double(value)
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all
    ) throws -> Double? {
        var (sum, count) = (0.0, 0)
        try forEachValue(field, predicate) { row, slot in
            guard let value = try row.double(slot) else { return }
            sum += value
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    /// The least or greatest value of a field. With an index this takes one read. Without an index all rows are
    /// scanned, and one of them is kept.
    private func extreme<Target: Model, Value: FieldConvertible>(
        _ field: Field<Target, Value>, _ predicate: ModelPredicate<Target>, isDescending: Bool
    ) throws -> Value? {
        let model = try layout.model(of: Target.self)
        var value: FieldValue?
        let query = try RecordQuery(
            model, where: predicate.queryPredicate && .field(field.name, .notEqual(nil)),
            sort: Sort([Sort.Key(field.name, isDescending: isDescending)]), page: .first(1), in: related)
        try query.fetch { row in
            guard let layout = model.row.field(named: field.name) else { return false }
            value = try FieldValue(row.row, field: layout)
            return false
        }
        return value.flatMap { Value(fieldValue: $0) }
    }

    private func forEachValue<Target: Model, Value: FieldConvertible>(
        _ field: Field<Target, Value>, _ predicate: ModelPredicate<Target>, _ body: (RowView, Int) throws -> Void
    ) throws {
        let model = try layout.model(of: Target.self)
        guard let layout = model.row.field(named: field.name) else {
            throw DataStoreError.unknownField(field.name, of: model.name, among: model.row.fields.map(\.name))
        }
        try RecordQuery(model, where: predicate.queryPredicate, in: related).fetch { row in
            try body(row.row, layout.slot)
            return true
        }
    }
}
