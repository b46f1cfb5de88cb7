internal import TidelogAgreement
@_spi(Adapters) public import TidelogCore

/// A query to a server, with the type of its answer.
public struct ServerQuery<Answer: Sendable>: Sendable {
    let prepare: @Sendable (OperationSchema) throws(GraphQLClientError) -> PreparedOperation<Answer>
}

extension ServerQuery {
    /// The record with this id; `nil` if the server does not have it.
    public static func get<Value: Model>(_ type: Value.Type, id: RecordID) -> Self
    where Answer == RemoteRecord<Value>? {
        Self { (schema) throws(GraphQLClientError) in
            let model = try OperationModel(type, schema)
            let arguments = try model.keyArguments(id)
            let field = try model.required(model.operations.get, "query for one record")
            let document = OperationDocument("query", field, arguments, selecting: model.selection)
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try response.checkErrors()
                return try response.value.map { (json) throws(GraphQLClientError) in try model.record(json, as: type) }
            }
        }
    }

    /// A page of the records of `query`, in the server's order. Without a limit, the server chooses the size of the page.
    ///
    /// Sending it throws ``GraphQLClientError`` with code `unsupportedPredicate` if the query has an order, includes relations,
    /// or has a page with more than a limit.
    ///
    /// - Parameter nextToken: The token that the previous page gave.
    public static func list<Value: Model>(_ query: Query<Value>, nextToken: String? = nil) -> Self
    where Answer == RemotePage<Value> {
        Self { (schema) throws(GraphQLClientError) in
            let type = Value.self
            let model = try OperationModel(type, schema)
            try query.checkIsList()
            var arguments: [OperationArgument] = []
            if let filter = try FilterInput(.list, model.layout.schema).json(query.predicate) {
                arguments.append(OperationArgument("filter", model.types.filter, json: filter))
            }
            if let limit = query.page.limit { arguments.append(OperationArgument("limit", "Int", .int(Int64(limit)))) }
            if let nextToken { arguments.append(OperationArgument("nextToken", "String", .string(nextToken))) }
            let field = try model.required(model.operations.list, "query for lists")
            let document = OperationDocument(
                "query", field, arguments, selecting: "items { \(model.selection) } nextToken")
            return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
                try model.page(response, as: type)
            }
        }
    }
}

extension Query {
    /// Checks that the query has only a condition and a limit.
    fileprivate func checkIsList() throws(GraphQLClientError) {
        guard sort.keys.isEmpty, page == Page(limit: page.limit), !usesRelations else {
            throw GraphQLClientError(
                .unsupportedPredicate,
                "A list of \(model) from a server has only a condition and a limit, no other order, page or relation.")
        }
    }
}
