internal import TidelogAgreement
@_spi(Adapters) public import TidelogCore

/// A change that a server makes to a record of the model `Value`.
public struct ServerMutation<Value: Model>: Sendable {
    let prepare: @Sendable (OperationSchema) throws(GraphQLClientError) -> PreparedOperation<RemoteRecord<Value>>
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
            return try model.mutation(field, model.types.deleteInput, input, condition, deleting: id)
        }
    }
}
