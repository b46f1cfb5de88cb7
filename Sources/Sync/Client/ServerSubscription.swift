internal import TidelogAgreement
@_spi(Adapters) public import TidelogCore

/// A subscription to the changes of records of the model `Value` on a server.
public struct ServerSubscription<Value: Model>: Sendable {
    let prepare: @Sendable (OperationSchema) throws(GraphQLClientError) -> PreparedOperation<RemoteRecord<Value>>
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
            let document = OperationDocument("subscription", field, arguments, selecting: model.selection)
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try response.checkErrors()
                return try model.record(try response.required(), as: type, isDeletion: kind == "onDelete")
            }
        }
    }
}
