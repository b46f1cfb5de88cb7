extension DataStore {
    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) async throws -> [Value] {
        try await self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}

extension StoreSnapshot {
    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) throws -> [Value] {
        try self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}

extension StoreTransaction {
    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) throws -> [Value] {
        try self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}
