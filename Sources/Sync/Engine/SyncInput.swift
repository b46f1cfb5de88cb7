internal import TidelogCore

/// An input of the engine's loop, from one of its tasks or from the app.
enum SyncInput: Sendable {
    /// The app starts the engine. For a single run of a sync, the engine asks for no pushed changes unless it runs already.
    case start(isSingleRun: Bool)
    /// The app stops the engine. The continuation is resumed when the engine writes nothing any more.
    case stop(CheckedContinuation<Void, Never>)
    /// The app waits until the goal is reached.
    case await(Goal)
    /// The app stops waiting for the goal with this number.
    case giveUp(goal: UInt64)
    /// The engine may sync the store from now on, because the other engine has ended.
    case lease
    /// The app reports whether a network is available.
    case network(isAvailable: Bool)
    /// The time came for which a machine waited.
    case wake
    /// The log has new events.
    case logged
    /// The log cannot be read any more.
    case logFailed(any Error)
    /// A server's answer, for the start of the engine with this number.
    case answer(Answer, life: Int)
    /// A pushed message.
    case pushed(Push)
    /// A task of the loop has ended.
    case ended(task: UInt64)
    /// The engine was deallocated.
    case end

    /// Whether the log may have new events for the loop.
    var concernsLog: Bool {
        switch self {
        case .logged, .await: true
        default: false
        }
    }
}

extension SyncInput {
    /// An answer of the server, or of the app's conflict handler.
    enum Answer: Sendable {
        case mutation(SyncServer.Answer<Outbox.MutationResponse>, Outbox.Ticket)
        case fetch(SyncServer.Answer<Outbox.FetchResponse>, Outbox.Ticket)
        case page(SyncServer.Answer<Inbox.QueryResponse>, Inbox.Query)
        case record(SyncServer.Answer<Outbox.FetchResponse>, Inbox.RecordQuery)
        /// Every subscription of the model has begun, or one was refused.
        case subscribed(Inbox.SubscriptionRequest, connection: Int, failure: GraphQLClientError?)
        /// A subscription of the model has ended.
        case unsubscribed(Inbox.SubscriptionRequest, connection: Int)
        case resolved(SyncConflict.Decision, slot: Int)
        /// The person whose records are synced, or the reason why the person is not known.
        case identified(Result<SyncIdentity, GraphQLClientError>)
        /// It is time to use a new token.
        case session
    }

    /// A message of a subscription.
    struct Push: Sendable {
        let model: String
        let payload: [UInt8]
        /// The root field that the payload answers.
        let field: String
        /// The number of the connection that brought the message.
        let connection: Int
    }

    /// A waiting call of the app.
    struct Goal: Sendable {
        /// The goals that a call can wait for.
        enum Kind: Sendable {
            /// Everything is sent and received.
            case settled
            /// The store has everything that the server had at the call, and the local changes up to this event are on the
            /// server.
            case caughtUp(SequenceNumber)
        }

        let kind: Kind
        /// The number of the call.
        let number: UInt64
        /// The longest time in milliseconds during which nothing may be received or answered; `nil` for any time.
        let patience: Int64?
        /// The longest time of the call in milliseconds; `nil` for no limit.
        let wait: Int64?
        let continuation: CheckedContinuation<SyncReport, Never>
    }
}
