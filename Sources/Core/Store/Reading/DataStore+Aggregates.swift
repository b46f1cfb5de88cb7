extension DataStore {
    /// The least value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func min<Target: Model, Value: FieldConvertible & Sendable>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Value? {
        try await read { try $0.min(field, where: predicate) }
    }

    /// The greatest value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func max<Target: Model, Value: FieldConvertible & Sendable>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Value? {
        try await read { try $0.max(field, where: predicate) }
    }

    /// The sum of `field` over the records that `predicate` holds for. A missing value counts as 0.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if the sum does not fit into 64 bits.
    public func sum<Target: Model>(_ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all)
        async throws -> Int
    {
        try await read { try $0.sum(field, where: predicate) }
    }

    /// The sum of `field` over the records that `predicate` holds for, in key order. A missing value counts as 0.
    public func sum<Target: Model>(
        _ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double {
        try await read { try $0.sum(field, where: predicate) }
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double? {
        try await read { try $0.average(field, where: predicate) }
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double? {
        try await read { try $0.average(field, where: predicate) }
    }
}
