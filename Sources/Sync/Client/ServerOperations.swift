@_spi(Adapters) public import TidelogCore
internal import TidelogWire

/// A query to a server, with the type of its answer.
public struct ServerQuery<Answer: Sendable>: Sendable {
    let prepare: @Sendable (SchemaLayout) throws(GraphQLClientError) -> PreparedOperation<Answer>
}

extension ServerQuery {
    /// The record with this id; `nil` if the server does not have it.
    public static func get<Value: Model>(_ type: Value.Type, id: RecordID) -> Self
    where Answer == RemoteRecord<Value>? {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(type, schema)
            let arguments = try model.keyArguments(id)
            let field = try model.required(model.operations.get, "query for one record")
            let document = model.document("query", field, arguments, selecting: model.selection)
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try response.checkErrors()
                return try response.value.map { (json) throws(GraphQLClientError) in try model.record(json, as: type) }
            }
        }
    }

    /// A page of the records that fulfil `predicate`, in the server's order.
    ///
    /// - Parameters:
    ///   - limit: The largest number of records in the page; `nil` leaves the choice to the server.
    ///   - nextToken: The token that the previous page gave.
    public static func list<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, limit: Int? = nil, nextToken: String? = nil
    ) -> Self where Answer == RemotePage<Value> {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(type, schema)
            var arguments: [OperationArgument] = []
            if let filter = try FilterInput(.list, model.layout.schema).json(predicate.queryPredicate) {
                arguments.append(OperationArgument("filter", model.types.filter, json: filter))
            }
            if let limit { arguments.append(OperationArgument("limit", "Int", .int(Int64(limit)))) }
            if let nextToken { arguments.append(OperationArgument("nextToken", "String", .string(nextToken))) }
            let field = try model.required(model.operations.list, "query for lists")
            let document = model.document(
                "query", field, arguments, selecting: "items { \(model.selection) } nextToken")
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try model.page(response, as: type)
            }
        }
    }
}

/// A change that a server makes to a record of the model `Value`.
public struct ServerMutation<Value: Model>: Sendable {
    let prepare: @Sendable (SchemaLayout) throws(GraphQLClientError) -> PreparedOperation<RemoteRecord<Value>>
}

extension ServerMutation {
    /// Creates a record. It fails with `conditionFailed` if the server has a record with that id.
    ///
    /// If a field has no value, the server gives it the default that its schema names. The answer can therefore have values
    /// that `value` lacks.
    public static func create(_ value: Value, where condition: ModelPredicate<Value> = .all) -> Self {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(Value.self, schema)
            let input = try model.input(value, removesMissing: false, version: nil)
            let field = try model.required(model.operations.create, "mutation create")
            return try model.mutation(field, model.types.createInput, input, condition)
        }
    }

    /// Sets all fields of a record to the values that `value` has. Fields without a value lose theirs.
    ///
    /// - Parameter version: The server's version that the change starts from.
    public static func update(
        _ value: Value, version: UInt64? = nil, where condition: ModelPredicate<Value> = .all
    ) -> Self {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(Value.self, schema)
            let input = try model.input(value, removesMissing: true, version: version)
            let field = try model.required(model.operations.update, "mutation update")
            return try model.mutation(field, model.types.updateInput, input, condition)
        }
    }

    /// Deletes the record with this id.
    ///
    /// - Parameter version: The server's version that the deletion starts from.
    public static func delete(
        _ type: Value.Type = Value.self, id: RecordID, version: UInt64? = nil,
        where condition: ModelPredicate<Value> = .all
    ) -> Self {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(type, schema)
            let input = try model.keyInput(id, version: version)
            let field = try model.required(model.operations.delete, "mutation delete")
            return try model.mutation(field, model.types.deleteInput, input, condition)
        }
    }
}

/// A subscription to the changes of records of the model `Value` on a server.
public struct ServerSubscription<Value: Model>: Sendable {
    let prepare: @Sendable (SchemaLayout) throws(GraphQLClientError) -> PreparedOperation<RemoteRecord<Value>>
}

extension ServerSubscription {
    /// Records that are created and fulfil `predicate`.
    ///
    /// - Parameter owner: The value of the argument `owner`, for models that only owners may read.
    public static func onCreate(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, owner: String? = nil
    ) -> Self {
        on(type, predicate, owner, "onCreate") { $0.onCreate }
    }

    /// Records that are updated and then fulfil `predicate`.
    public static func onUpdate(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, owner: String? = nil
    ) -> Self {
        on(type, predicate, owner, "onUpdate") { $0.onUpdate }
    }

    /// Records that are deleted and had fulfilled `predicate`.
    public static func onDelete(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, owner: String? = nil
    ) -> Self {
        on(type, predicate, owner, "onDelete") { $0.onDelete }
    }

    private static func on(
        _ type: Value.Type, _ predicate: ModelPredicate<Value>, _ owner: String?, _ kind: String,
        _ names: @escaping @Sendable (ModelOperations) -> [String]
    ) -> Self {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(type, schema)
            var arguments: [OperationArgument] = []
            if let filter = try FilterInput(.subscription, model.layout.schema).json(predicate.queryPredicate) {
                arguments.append(OperationArgument("filter", model.types.subscriptionFilter, json: filter))
            }
            if let owner { arguments.append(OperationArgument("owner", "String", .string(owner))) }
            let field = try model.required(names(model.operations).first, "subscription \(kind)")
            let document = model.document("subscription", field, arguments, selecting: model.selection)
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try response.checkErrors()
                return try model.record(try response.required(), as: type)
            }
        }
    }
}
