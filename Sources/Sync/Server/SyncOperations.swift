internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore

/// The operations of one model that the sync engine sends, as GraphQL requests.
struct SyncOperations: Sendable {
    /// One request.
    struct Request: Sendable {
        /// The request as JSON: the document and the values of its variables.
        let body: [UInt8]
        /// The names or the aliases of the root fields, in order.
        let fields: [String]
        /// Whether a repetition of the request changes nothing on the server.
        let isRepeatable: Bool
    }

    /// A root field with its arguments.
    struct RootField: Sendable {
        let name: String
        let arguments: [OperationArgument]
        let selection: String
        /// The model of the selected record, `nil` for another selection. Several fields with one model share a fragment.
        var model: String?
    }

    /// The request for mutations. Each of several has the alias `m` with its place.
    static func request(_ mutations: [RootField]) -> Request {
        guard mutations.count == 1, let field = mutations.first else {
            return Request(
                body: OperationDocument("mutation", "Changes", alias: "m", mutations).json,
                fields: mutations.indices.map { "m\($0)" },
                isRepeatable: false)
        }
        let document = OperationDocument("mutation", field.name, field.arguments, selecting: field.selection)
        return Request(body: document.json, fields: [field.name], isRepeatable: false)
    }

    let model: OperationModel
    /// The rules of the model's `@auth`.
    let rules: [AccessRule]
    /// Reads the records in the answers.
    let reader: ServerRecordReader
    private let hasVersions: Bool
    private let schema: Schema

    /// Makes the operations for the model with this layout. They select the fields that `schema` declares.
    ///
    /// - Parameter model: The model, for a server without versions; `nil` for a server with versions.
    init(_ layout: ModelLayout, declaredBy schema: Schema, stampsOf stamped: SyncModels.Model? = nil) {
        hasVersions = stamped == nil
        self.schema = schema
        model = OperationModel(layout, declaredBy: schema, hasVersions: hasVersions)
        reader = ServerRecordReader(layout, stamped.flatMap { StampFields(layout, $0) })
        rules = AccessRule.rules(of: schema.model(named: layout.name) ?? layout.schema)
    }

    /// The operations for a server without versions.
    func withoutVersions(_ stamped: SyncModels.Model) -> Self {
        SyncOperations(model.layout, declaredBy: schema, stampsOf: stamped)
    }

    /// A request that a server without versions refuses, and whose error names the field `startedAt`; `nil` if the model has no
    /// query for several records. A model may declare a field `_version` of its own, as AWS's steps of a migration do.
    var versionProbe: Request? {
        let limit = OperationArgument("limit", "Int", .int(1))
        return model.operations.list.map {
            request("query", $0, [limit], selecting: "nextToken startedAt")
        }
    }

    /// The error if two models have the same operation; `nil` if there are no such models.
    static func clash(among all: [SyncOperations]) -> SyncError? {
        ModelOperations.NameClash.first(among: all.map { ($0.model.layout.name, $0.model.operations) }).map { clash in
            SyncError(
                .invalidConfiguration, "\(Names.upperFirst(clash.message)).",
                recovery: "\(Names.upperFirst(clash.advice)), also in the server's schema.")
        }
    }

    /// The field of Mutation that makes a change.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `unsupportedPredicate` if the API cannot express the condition, or
    ///   `operationDisabled` if the model has no such mutation.
    func mutation(_ mutation: OutgoingMutation) throws(GraphQLClientError) -> RootField {
        let (name, kind, type) =
            switch mutation.operation {
            case .create: (model.operations.create, "create", model.types.createInput)
            case .update: (model.operations.update, "update", model.types.updateInput)
            case .delete: (model.operations.delete, "delete", model.types.deleteInput)
            }
        let field = try model.required(name, "mutation \(kind)")
        var fields = mutation.fields
        if !hasVersions, let stamps = reader.stamps, stamps.hasTag, mutation.operation != .delete {
            fields[RecordStamp.tagField] = .string(mutation.tag)
        }
        let version = hasVersions ? mutation.baseVersion : nil
        let input = try model.keyInput(mutation.reference.id, fields: fields, version: version)
        var arguments = [OperationArgument("input", "\(type)!", json: input)]
        var condition = try mutation.condition.flatMap { (text) throws(GraphQLClientError) in try filter(text) }
        if let stamp = mutation.stamp { condition = reader.stamps?.condition(stamp, and: condition) }
        if let condition { arguments.append(OperationArgument("condition", model.types.condition, json: condition)) }
        return RootField(
            name: field, arguments: arguments, selection: model.selection, model: model.layout.name)
    }

    func fetch(_ id: RecordID) throws(GraphQLClientError) -> Request {
        let field = try model.required(model.operations.get, "query for one record")
        return request("query", field, try model.keyArguments(id), selecting: model.selection)
    }

    /// - Parameter filter: The sync expression as JSON; `nil` for every record.
    /// - Throws: ``GraphQLClientError`` with the code `operationDisabled` if the model has no sync query.
    func page(_ query: Inbox.Query, filter: [UInt8]?) throws(GraphQLClientError) -> Request {
        guard hasVersions else { return try list(query, filter: filter) }
        let field = try model.required(model.operations.sync, "sync query")
        var arguments = arguments(of: query, filter)
        if let time = query.lastSync { arguments.append(OperationArgument("lastSync", "AWSTimestamp", .int(time))) }
        return request(
            "query", field, arguments, selecting: "items { \(model.selection) } nextToken startedAt")
    }

    /// The request for a page of all records, or of their keys and stamps.
    private func list(_ query: Inbox.Query, filter: [UInt8]?) throws(GraphQLClientError) -> Request {
        let field = try model.required(model.operations.list, "query for several records")
        // A list may be out of date, so that the server is asked for single records, too.
        _ = try model.required(model.operations.get, "query for one record, which a server without versions needs")
        guard reader.stamps != nil else {
            throw GraphQLClientError(
                .operationDisabled,
                "The model \(model.layout.name) has no field \(RecordStamp.timeField), which a server without versions needs."
            )
        }
        return request("query", field, arguments(of: query, filter), selecting: selection(of: query.content))
    }

    /// The selection of a page at a server without versions.
    private func selection(of content: Inbox.Content) -> String {
        let keys = model.layout.keyFields.map(\.name)
        let items =
            switch content {
            case .records: [model.selection]
            case .stamps: keys + (reader.stamps?.selection ?? [])
            case .keys: keys
            }
        return "items { \(items.joined(separator: " ")) } nextToken"
    }

    /// The request for a page of each of the partitions of an index. Each partition has the alias `p` with its place.
    func page(
        _ query: Inbox.Query, of partitions: [IndexWalk.Partition], by index: TimeIndex, filter: [UInt8]?
    ) throws(GraphQLClientError) -> Request {
        guard let partition = model.layout.row.field(named: index.partition), let stamps = reader.stamps else {
            throw GraphQLClientError(.invalidValue, "The model \(model.layout.name) lacks a field of its index.")
        }
        var query = query
        // Keys are short. The records of all partitions together make one page.
        if query.content == .records { query.limit = max(1, query.limit / partitions.count) }
        let fields = partitions.map { entry in
            query.nextToken = entry.nextToken
            var arguments = [OperationArgument(partition.name, "\(partition.schema.apiName)!", .string(entry.value))]
            if let since = query.lastSync { arguments.append(stamps.argument(since: since)) }
            arguments += self.arguments(of: query, filter)
            return RootField(name: index.query, arguments: arguments, selection: selection(of: query.content))
        }
        return Request(
            body: OperationDocument("query", "Changes", alias: "p", fields).json,
            fields: fields.indices.map { "p\($0)" }, isRepeatable: true)
    }

    private func arguments(of query: Inbox.Query, _ filter: [UInt8]?) -> [OperationArgument] {
        var arguments = [OperationArgument("limit", "Int", .int(Int64(query.limit)))]
        if let filter { arguments.append(OperationArgument("filter", model.types.filter, json: filter)) }
        if let token = query.nextToken { arguments.append(OperationArgument("nextToken", "String", .string(token))) }
        return arguments
    }

    /// The request for several records, which may be of different models. Each has the alias `r` with its place.
    static func fetch(
        _ records: [(operations: SyncOperations, id: RecordID)]
    ) throws(GraphQLClientError) -> Request {
        var fields: [RootField] = []
        for (operations, id) in records {
            let model = operations.model
            fields.append(
                RootField(
                    name: try model.required(model.operations.get, "query for one record"),
                    arguments: try model.keyArguments(id), selection: model.selection, model: model.layout.name))
        }
        return Request(
            body: OperationDocument("query", "Records", alias: "r", fields).json,
            fields: fields.indices.map { "r\($0)" }, isRepeatable: true)
    }

    /// The root fields of the subscriptions to created, updated and deleted records. One of several names for a mutation is
    /// enough, and one field may be about several mutations.
    var subscriptionFields: [String] {
        let names = [model.operations.onCreate, model.operations.onUpdate, model.operations.onDelete]
        var fields: [String] = []
        for case let name? in names.map(\.first) where !fields.contains(name) { fields.append(name) }
        return fields
    }

    /// The failure that says which kinds of changes the model has no subscription to; `nil` if it has all of them.
    var missingSubscription: GraphQLClientError? {
        let all = [
            ("onCreate", model.operations.onCreate), ("onUpdate", model.operations.onUpdate),
            ("onDelete", model.operations.onDelete),
        ]
        let missing = all.filter(\.1.isEmpty).map(\.0)
        guard !missing.isEmpty else { return nil }
        return GraphQLClientError(
            .operationDisabled,
            "The model \(model.layout.name) has no subscription \(missing.joined(separator: ", ")), because its @model disables it."
        )
    }

    /// The request for the subscription `field` by the bearer of `token`. The token is `nil` for a key.
    func subscription(_ field: String, by mode: GraphQLAuthorization.Mode, token: String?) -> [UInt8] {
        let arguments = OwnerArgument(rules, for: .listen, by: mode, token: token).map {
            [OperationArgument($0.field, "String", .string($0.value))]
        }
        return request("subscription", field, arguments ?? [], selecting: model.selection).body
    }

    private func request(
        _ kind: String, _ field: String, _ arguments: [OperationArgument], selecting selection: String
    ) -> Request {
        Request(
            body: OperationDocument(kind, field, arguments, selecting: selection).json, fields: [field],
            isRepeatable: kind != "mutation")
    }

    private func filter(_ condition: String) throws(GraphQLClientError) -> [UInt8]? {
        let predicate: QueryPredicate
        do {
            predicate = try QueryPredicate(parsing: condition)
        } catch {
            throw GraphQLClientError(
                .unsupportedPredicate, "The condition of the change does not read back: \(condition)", underlying: error
            )
        }
        return try FilterInput(.condition, model.layout.schema).json(predicate)
    }
}

extension OperationDocument {
    /// A document with several fields. The name of each variable ends with the place of its field. The selection of a model's
    /// records is a fragment with the model's name, so that a server parses and plans it once.
    fileprivate init(_ kind: String, _ title: String, alias: String, _ fields: [SyncOperations.RootField]) {
        var (variables, text, arguments) = ("", "", [OperationArgument]())
        var (models, fragments) = (Set<String>(), "")
        for (place, field) in fields.enumerated() {
            var given = ""
            for argument in field.arguments {
                let name = "\(argument.name)\(place)"
                given += "\(given.isEmpty ? "" : ", ")\(argument.name): $\(name)"
                variables += "\(variables.isEmpty ? "" : ", ")$\(name): \(argument.type)"
                arguments.append(OperationArgument(name, argument.type, json: argument.json))
            }
            let selection = field.model.map { "...\($0)" } ?? field.selection
            text += " \(alias)\(place): \(field.name)(\(given)) { \(selection) }"
            if let model = field.model, models.insert(model).inserted {
                fragments += " fragment \(model) on \(model) { \(field.selection) }"
            }
        }
        self.init(text: "\(kind) \(title)(\(variables)) {\(text) }\(fragments)", arguments: arguments)
    }
}
