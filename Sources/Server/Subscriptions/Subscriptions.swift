internal import Synchronization
@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQL

/// All subscriptions of the clients. One reader follows the changes of the store. Each change is resolved once for all
/// subscriptions with the same selection.
package final class Subscriptions: Sendable {
    private let service: Service
    private let state = Mutex(State())

    private struct State {
        var nextNumber: UInt64 = 1
        /// The subscriptions by model and number.
        var subscriptions: [String: [UInt64: Subscription]] = [:]
        /// The models of the subscriptions, by number.
        var models: [UInt64: String] = [:]
    }

    package init(_ service: Service) { self.service = service }

    /// Prepares the subscription in `request` of `caller`.
    ///
    /// - Throws: ``RequestErrors``; ``ResolverError``, also if the operation is not a subscription.
    package func prepare(_ request: ServiceRequest, from caller: Caller) throws -> PreparedSubscription {
        try PreparedSubscription(request, caller, service)
    }

    /// Adds a subscription. From now on, `deliver` is called with the response, as JSON, to each change that the subscription
    /// matches. It also gets the number of the subscription. It must not block.
    ///
    /// - Returns: The number of the subscription, for ``remove(_:)``.
    package func add(
        _ subscription: PreparedSubscription, deliver: @escaping @Sendable (UInt64, [UInt8]) -> Void
    ) -> UInt64 {
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.subscriptions[subscription.model, default: [:]][number] = Subscription(
                number: number, prepared: subscription, deliver: deliver)
            state.models[number] = subscription.model
            return number
        }
    }

    /// Ends a subscription.
    package func remove(_ number: UInt64) {
        state.withLock { state in
            guard let model = state.models.removeValue(forKey: number) else { return }
            state.subscriptions[model]?[number] = nil
        }
    }

    /// The number of subscriptions.
    package var count: Int { state.withLock { $0.models.count } }

    /// Follows the changes of the store until the task is cancelled.
    ///
    /// - Throws: The errors of the sequence of changes.
    package func run(_ changes: any AsyncSequence<StoredChange, any Error> & Sendable) async throws {
        try await follow(changes)
    }

    private func follow(_ changes: some AsyncSequence<StoredChange, any Error>) async throws {
        for try await change in changes { try await tell(change) }
    }

    private func tell(_ change: StoredChange) async throws {
        // Older subscriptions get a change first.
        let interested = state.withLock { Array($0.subscriptions[change.record.model, default: [:]].values) }
            .filter { $0.prepared.admits(change) }.sorted { $0.number < $1.number }
        var responses: [PreparedSubscription.Selection: [UInt8]] = [:]
        // The row is only needed for filters, and it is the same for all of them.
        var row: EncodedRow?
        for subscription in interested {
            do throws(ResolverError) {
                if !subscription.prepared.filter.passesAll {
                    let encoded = if let row { row } else { try service.row(of: change.record) }
                    row = encoded
                    guard try await subscription.prepared.passes(encoded, service) else { continue }
                }
            } catch {
                try Task.checkCancellation()
                subscription.deliver(subscription.number, subscription.prepared.response(of: error))
                continue
            }
            let selection = subscription.prepared.selection
            if let response = responses[selection] {
                subscription.deliver(subscription.number, response)
                continue
            }
            let context = RequestContext(service, subscription.prepared.caller)
            let root = SubscriptionRoot(record: change.record, fields: try service.fieldsTold(of: change.record))
            let result = try await subscription.prepared.operation.execute(over: root, in: context)
            let response = ServiceResponse(data: result.data, errors: result.errors).json
            responses[selection] = response
            subscription.deliver(subscription.number, response)
        }
    }

    private struct Subscription {
        let number: UInt64
        let prepared: PreparedSubscription
        let deliver: @Sendable (UInt64, [UInt8]) -> Void
    }
}

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
    let operation: PreparedOperation
    let selection: Selection
    fileprivate let model: String
    private let kinds: Set<StoredChange.Kind>
    fileprivate let filter: RecordCondition
    private let access: SubscriptionAccess
    /// The number of compared bytes after which other work gets its turn.
    private static let turnByteCount = 1 << 16

    fileprivate init(_ request: ServiceRequest, _ caller: Caller, _ service: Service) throws {
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

/// The object of Subscription. It returns the record as it is after a change.
private struct SubscriptionRoot: ResolvableObject {
    let record: Record
    /// The fields that the message may contain; `nil` for all.
    let fields: Set<String>?

    var typeName: String { "Subscription" }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        let whole = RecordObject(
            record: record, access: try context.access(record.model), operation: .listen)
        guard let fields else { return .object(whole) }
        return .object(PartOfRecord(whole: whole, fields: fields))
    }
}

/// A record of which only some fields are shown.
private struct PartOfRecord: ResolvableObject {
    let whole: RecordObject
    let fields: Set<String>

    var typeName: String { whole.typeName }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        guard fields.contains(field.name) else { return .null }
        return try whole.resolve(field, in: context)
    }
}
