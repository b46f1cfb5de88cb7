internal import TidelogCore

/// An input of the engine's loop, from one of its tasks or from the app.
enum SyncInput: Sendable {
    /// The app starts the engine.
    case start
    /// The app stops the engine; the continuation is resumed when nothing more will be written.
    case stop(CheckedContinuation<Void, Never>)
    /// The app waits until the goal is reached.
    case await(SyncGoal)
    /// The app does not wait any more for the goal with this number.
    case giveUp(goal: UInt64)
    /// The engine may sync the store from now on, as another one has ended.
    case lease
    /// The app says whether there is a network.
    case network(isAvailable: Bool)
    /// A time came that a machine waits for.
    case wake
    /// The log has new events.
    case logged
    /// The log cannot be followed any more.
    case logFailed(any Error)
    /// A server's answer, for the start of the engine with this number.
    case answer(SyncAnswer, life: Int)
    /// A pushed message.
    case pushed(SyncPush)
    /// A task of the loop has ended.
    case ended(task: UInt64)
    /// The engine is gone.
    case end

    /// Whether the log may have events that the loop has not read.
    var concernsLog: Bool {
        switch self {
        case .logged, .await: true
        default: false
        }
    }
}

/// An answer of the server, or of the app's conflict handler.
enum SyncAnswer: Sendable {
    case mutation(SyncServer.Answer<MutationResponse>, OutboxTicket)
    case fetch(SyncServer.Answer<FetchResponse>, OutboxTicket)
    case page(SyncServer.Answer<QueryResponse>, SyncQuery)
    /// Every subscription of the model has begun, or one was refused.
    case subscribed(model: String, connection: Int, failure: GraphQLClientError?)
    /// A subscription of the model has ended.
    case unsubscribed(model: String, connection: Int)
    case resolved(ConflictDecision, slot: Int)
    /// The person whose records are synced, or why that is not known.
    case identified(Result<SyncIdentity, GraphQLClientError>)
    /// It is time to use a new token.
    case session
}

/// A message of a subscription.
struct SyncPush: Sendable {
    let model: String
    let payload: [UInt8]
    /// The field that the payload answers.
    let field: String
    /// The number of the connection that brought the message.
    let connection: Int
}

/// A call of the app that waits.
struct SyncGoal: Sendable {
    /// The states of the engine that a call waits for.
    enum Kind: Sendable {
        /// Everything is sent and received.
        case settled
        /// Everything is here that the server had at the call, and the changes up to this event are on the server.
        case caughtUp(SequenceNumber)
    }

    let kind: Kind
    /// Names the call.
    let number: UInt64
    /// For how many milliseconds the server may give no answer; `nil` for any time.
    let patience: Int64?
    /// After how many milliseconds the call ends at the latest; `nil` for never.
    let wait: Int64?
    let continuation: CheckedContinuation<SyncReport, Never>
}
