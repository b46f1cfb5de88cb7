internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSynchronization

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
            assert(state.models[number] == nil, "each subscription has a number of its own")
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
            let removed = state.subscriptions[model]?.removeValue(forKey: number)
            assert(removed != nil, "a subscription is listed under its model")
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
            let fields = service.options.isSelectionStrict ? change.selected ?? [] : nil
            let root = SubscriptionRoot(record: change.record, fields: fields)
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
