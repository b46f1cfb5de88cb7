@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution

/// A client's subscription: a valid operation, and the changes that it matches.
package struct PreparedSubscription: Sendable {
    /// A selection: the parts of a subscription on which its responses depend. Subscriptions with equal selections get the same
    /// response to a change.
    struct Selection: Sendable, Hashable {
        let query: ExactText
        let variables: InputObject
        let operationName: ExactText?
        /// The digest of the subscriber's read permissions.
        let rights: [UInt8]
        /// The subscriber's identity, if the response is only valid for one caller.
        let identity: ExactText?
    }

    /// The subscriber.
    package let caller: Caller
    let operation: ExecutableOperation
    let selection: Selection
    let model: String
    private let kinds: Set<StoredChange.Kind>
    let filter: RecordFilter.Condition
    private let access: SubscriptionAccess
    /// The number of compared bytes after which other work gets its turn.
    private static let turnByteCount = 1 << 16

    init(_ request: ServiceRequest, _ caller: Caller, _ service: Service) throws {
        self.caller = caller
        operation = try service.prepare(request)
        selection = Selection(
            query: ExactText(request.query), variables: request.variables,
            operationName: request.operationName.map { ExactText($0) },
            rights: try service.readingRights(of: caller),
            // A page token is only valid for one caller.
            identity: request.query.contains("nextToken") ? ExactText(caller.identity) : nil)
        guard operation.kind == .subscription, let field = operation.root.fields.first,
            let root = service.api.subscriptions[field.name], case .subscription(let arguments) = root.kind
        else {
            throw ResolverError(
                "Only subscriptions are served over a WebSocket.", errorType: "UnsupportedOperation")
        }
        let (_, schema) = try service.model(root.model)
        model = root.model
        kinds = Set(arguments.mutations.map(\.change))
        var given = RecordFilter.all
        if arguments.takesFilter {
            let reader = FilterReader(model: schema, schema: service.api.schema)
            given = try reader.filter(field[argument: "filter"])
        }
        access = try SubscriptionAccess(
            arguments, field, service.access(of: caller, to: root.model),
            filtered: given.fields.union(arguments.fields.filter { field[argument: $0] != nil }))
        var predicates = given.passesAll ? [] : [given.predicate]
        for name in access.filters(arguments.fields) {
            // A missing argument sets no condition. A null argument matches records without a value.
            guard let value = field[argument: name], let declared = schema.field(named: name) else { continue }
            let tests = FieldTests(field: declared, schema: service.api.schema)
            if let test = try tests.predicate("eq", value) { predicates.append(test.predicate) }
        }
        let filter = RecordFilter(predicate: predicates.isEmpty ? .all : .and(predicates), fields: given.fields)
        self.filter = try filter.condition(on: service.layout(of: root.model))
    }

    /// Whether the subscription includes changes of this kind, and whether the subscriber may get this change.
    func admits(_ change: StoredChange) -> Bool {
        change.record.model == model && kinds.contains(change.kind) && access.admits(change.record)
    }

    /// Whether the record with `row`, as it is after a change, passes the filter.
    ///
    /// - Throws: An error if the filter would compare too many bytes.
    func passes(_ row: EncodedRow, _ service: Service) async throws(ResolverError) -> Bool {
        let budget = ComparisonBudget(maximumByteCount: service.options.maximumComparedBytesOfChange)
        let passes = try filter.holds(for: row, within: budget)
        if budget.byteCount >= Self.turnByteCount { await Task.yield() }
        return passes
    }

    /// The response to a change for which the filter failed with an error.
    func response(of error: ResolverError) -> [UInt8] {
        let name = operation.root.fields.first?.responseName ?? ""
        let error = GraphQLError(message: error.message, path: [.field(name)], errorType: error.errorType)
        return ServiceResponse(data: .object([name: .null]), errors: [error]).json
    }
}

extension Mutation {
    /// The kind of change that the mutation makes to a record.
    fileprivate var change: StoredChange.Kind {
        switch self {
        case .create: .created
        case .update: .updated
        case .delete: .deleted
        }
    }
}
