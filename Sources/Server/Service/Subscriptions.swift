internal import Synchronization
internal import TidelogCore
internal import TidelogGraphQL

/// Everything that clients subscribe to. One reader follows the store; each change is resolved once for all who select the
/// same of it.
package final class Subscriptions: Sendable {
    private let service: Service
    private let state = Mutex(State())

    private struct State {
        var nextNumber: UInt64 = 1
        /// By model and number.
        var subscriptions: [String: [UInt64: Subscription]] = [:]
        /// The models of the subscriptions, by number.
        var models: [UInt64: String] = [:]
    }

    package init(_ service: Service) { self.service = service }

    /// Prepares what `request` of `caller` subscribes to.
    ///
    /// - Throws: ``RequestErrors``, also if it subscribes to nothing; ``ResolverError``.
    package func prepare(_ request: ServiceRequest, from caller: Caller) throws -> PreparedSubscription {
        try PreparedSubscription(request, caller, service)
    }

    /// Has `deliver` called with the response, as JSON, to each change that `subscription` is about, from now on. It must
    /// not block. It is given the number of the subscription, too.
    ///
    /// - Returns: the number, which ``remove(_:)`` takes.
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

    /// How many subscriptions there are.
    package var count: Int { state.withLock { $0.models.count } }

    /// Follows the store until the task is cancelled.
    ///
    /// - Throws: what following the store throws.
    package func run(_ changes: any AsyncSequence<StoredChange, any Error> & Sendable) async throws {
        try await follow(changes)
    }

    private func follow(_ changes: some AsyncSequence<StoredChange, any Error>) async throws {
        for try await change in changes { try await tell(change) }
    }

    private func tell(_ change: StoredChange) async throws {
        // Those who came first are told first.
        let interested = state.withLock { Array($0.subscriptions[change.record.model, default: [:]].values) }
            .filter { $0.prepared.admits(change) }.sorted { $0.number < $1.number }
        var responses: [PreparedSubscription.Selection: [UInt8]] = [:]
        for subscription in interested {
            do throws(ResolverError) {
                guard try await subscription.prepared.passes(change, service) else { continue }
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

/// What a client subscribes to: a valid operation, and which changes it is about.
package struct PreparedSubscription: Sendable {
    /// What tells the responses to one change apart.
    struct Selection: Sendable, Hashable {
        let query: ExactText
        let variables: InputObject
        let operationName: ExactText?
        /// What the rules let the subscriber read.
        let rights: [UInt8]
        /// The subscriber, if the response is for one person alone.
        let identity: ExactText?
    }

    /// Who subscribes.
    package let caller: Caller
    let operation: PreparedOperation
    let selection: Selection
    fileprivate let model: String
    private let kinds: Set<StoredChange.Kind>
    private let filter: RecordFilter
    private let access: SubscriptionAccess
    /// After so many compared bytes other work has its turn.
    private static let turnByteCount = 1 << 16

    fileprivate init(_ request: ServiceRequest, _ caller: Caller, _ service: Service) throws {
        self.caller = caller
        operation = try service.prepare(request)
        selection = Selection(
            query: ExactText(request.query), variables: request.variables,
            operationName: request.operationName.map { ExactText($0) },
            rights: try service.readingRights(of: caller),
            // Tokens of pages are good for one caller.
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
        var filters: [RecordFilter] = []
        if arguments.takesFilter {
            let reader = FilterReader(model: schema, schema: service.api.schema)
            filters.append(try reader.filter(field[argument: "filter"]))
        }
        access = try SubscriptionAccess(
            arguments, field, service.access(of: caller, to: root.model),
            filtered: Set(filters.flatMap(\.fields) + arguments.fields.filter { field[argument: $0] != nil }))
        for name in access.filters(arguments.fields) {
            // What is not given is not asked for; null asks for no value.
            guard let given = field[argument: name], let declared = schema.field(named: name) else { continue }
            let value = FieldValue(given, as: declared.type, in: service.api.schema)
            filters.append(.field(name, value.map { .compares(.eq, $0) } ?? .exists(false)))
        }
        filter = .and(filters)
    }

    /// Whether the subscriber may be told of a change, and asked for changes of its kind.
    func admits(_ change: StoredChange) -> Bool {
        change.record.model == model && kinds.contains(change.kind) && access.admits(change.record)
    }

    /// Whether the record that the change left passes the filter.
    ///
    /// - Throws: an error if the filter would compare too much.
    func passes(_ change: StoredChange, _ service: Service) async throws(ResolverError) -> Bool {
        let budget = ComparisonBudget(maximumByteCount: service.options.maximumComparedBytesOfChange)
        let passes = try filter.holds(for: change.record, within: budget)
        if budget.byteCount >= Self.turnByteCount { await Task.yield() }
        return passes
    }

    /// What the subscriber is told of a change of which the filter could not say if it passes.
    func response(of error: ResolverError) -> [UInt8] {
        let name = operation.root.fields.first?.responseName ?? ""
        let error = GraphQLError(message: error.message, path: [.field(name)], errorType: error.errorType)
        return ServiceResponse(data: .object([name: .null]), errors: [error]).json
    }
}

extension Mutation {
    /// What a record goes through that was so changed.
    fileprivate var change: StoredChange.Kind {
        switch self {
        case .create: .created
        case .update: .updated
        case .delete: .deleted
        }
    }
}

/// Subscription: the record that a change left.
private struct SubscriptionRoot: ResolvableObject {
    let record: Record
    /// The fields that are told; `nil` for all.
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

/// A record of which no more is shown than some fields.
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
