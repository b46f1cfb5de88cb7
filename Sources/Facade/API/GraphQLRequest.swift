/// A request to the server: a query or a change. For example `.list(Post.self, where: Post.keys.rating.gt(4))`.
public struct GraphQLRequest<R: Sendable>: Sendable {
    let send: @Sendable (OpenedStore.Server) async throws -> R
}

extension GraphQLRequest {
    /// The record whose key is the text `id`, `nil` if there is none.
    public static func get<M: Model>(_ modelType: M.Type, byId id: String) -> Self where R == M? {
        Self { try await $0.client.query(.get(modelType, id: RecordID(id)))?.value }
    }

    /// The record whose key is the text `id`, `nil` if there is none.
    public static func get<M: Model>(_ modelType: M.Type, byIdentifier id: String) -> Self where R == M? {
        get(modelType, byId: id)
    }

    /// The record that has `id`, `nil` if there is none.
    public static func get<M: Model>(_ modelType: M.Type, byIdentifier id: ModelID<M>) -> Self where R == M? {
        Self { try await $0.client.query(.get(modelType, id: id.recordID))?.value }
    }

    /// The first page of the records that fulfil `predicate`.
    ///
    /// - Parameter limit: How many records the server examines for a page; `nil` for the server's default.
    public static func list<M: Model>(
        _ modelType: M.Type, where predicate: (any QueryPredicate)? = nil, limit: Int? = nil
    ) -> Self where R == List<M> {
        Self { server in try await List(page: nil, of: predicate.on(M.self), limit: limit, server.client) }
    }
}

extension GraphQLRequest where R: Model {
    /// Creates a record.
    public static func create(_ model: R) -> Self {
        Self { try await $0.client.mutate(.create(model)).value ?? model }
    }

    /// Changes a record, if it fulfils `condition` on the server.
    ///
    /// - Parameter version: The version of the record that the change is based on. A server with conflict detection requires
    ///   it.
    public static func update(_ model: R, where condition: (any QueryPredicate)? = nil, version: Int? = nil) -> Self {
        Self { server in
            let version = version.map { UInt64(clamping: $0) }
            return try await server.client.mutate(.update(model, version: version, where: condition.on(R.self))).value
                ?? model
        }
    }

    /// Deletes a record, if it fulfils `condition` on the server. The response contains `model`.
    ///
    /// - Parameter version: The version of the record that the deletion is based on. A server with conflict detection requires
    ///   it.
    public static func delete(_ model: R, where condition: (any QueryPredicate)? = nil, version: Int? = nil) -> Self {
        Self { server in
            let record = try server.models.record(of: model)
            let id = RecordID(R.schema.primaryKey.compactMap { record[$0] })
            let version = version.map { UInt64(clamping: $0) }
            try await server.client.mutate(.delete(R.self, id: id, version: version, where: condition.on(R.self)))
            return model
        }
    }
}
