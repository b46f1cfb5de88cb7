package import TidelogSchema

extension SyncMachine {
    /// An input of the machine: something that the app does, something that happens, or the result of an action.
    package enum Input: Sendable {
        /// The app starts the engine. For a single run of a sync, the engine asks for no pushed changes unless it runs already.
        case start(isSingleRun: Bool)
        /// The app stops the engine. The call with this number returns when the engine writes nothing any more.
        case stop(call: UInt64)
        /// The app waits until the goal is reached.
        case await(Goal)
        /// The app stops waiting for the goal with this number.
        case giveUp(goal: UInt64)
        /// The other engine that synced the store has ended.
        case leaseFree
        /// The app reports whether a network is available.
        case network(isAvailable: Bool)
        /// A turn begins, or the time has come for which a machine waited.
        case timePassed
        /// The log has new events.
        case logNoticed
        /// An answer, for the start of the engine with this number.
        case answer(Answer, life: Int)
        /// A pushed message.
        case pushed(Push)
        /// An action failed, or the log cannot be read any more.
        case failed(any Error)
        /// The suspended store is open again.
        case resumed
        /// The engine was deallocated.
        case end
        /// The result of an action.
        case result(Result)
    }

    /// An answer of the server, or of the app.
    package enum Answer: Sendable {
        /// The answers to the mutations of one request, in their order.
        ///
        /// - `refusesBatches`: Whether the server refused the request and took its mutations one at a time.
        case mutations([SyncResponse<Outbox.MutationResponse>], [Outbox.Ticket], refusesBatches: Bool = false)
        case fetch(SyncResponse<Outbox.FetchResponse>, Outbox.Ticket)
        case page(SyncResponse<Inbox.QueryResponse>, Inbox.Query)
        /// The answers to the requests for several records, in their order.
        case records([SyncResponse<Outbox.FetchResponse>], [Inbox.RecordQuery])
        /// Every subscription of the model has begun.
        case subscribed(Inbox.SubscriptionRequest, connection: Int)
        /// A subscription of the model was not begun.
        case subscriptionFailed(
            Inbox.SubscriptionRequest, connection: Int, Inbox.SubscriptionFailure, cause: RequestFailure)
        /// A subscription of the model has ended.
        case subscriptionLost(Inbox.SubscriptionRequest, connection: Int)
        /// The app's decision about a conflict.
        case resolved(SyncConflict.Decision, slot: Int)
        /// The person whose records are synced.
        case identified(SyncIdentity)
        /// The person is not known.
        case unidentified(RequestFailure)
    }

    /// A message of a subscription.
    package struct Push: Sendable {
        package var model: String
        /// The record in the message; `nil` if it has no usable one.
        package var record: ServerRecord?
        /// The record that the message is about, if the message has its key and no usable record.
        package var reference: RecordReference?
        /// Whether the message tells about a deletion.
        package var isDeletion: Bool
        /// The number of the connection that brought the message.
        package var connection: Int

        package init(model: String, record: ServerRecord?, isDeletion: Bool = false, connection: Int) {
            (self.model, self.record) = (model, record)
            (self.isDeletion, self.connection) = (isDeletion, connection)
        }
    }

    /// The result of an action of the same name.
    package enum Result: Sendable {
        case leaseTaken(Bool)
        case opened(Contents)
        case closed
        /// The number of pending changes, and the time of the oldest one in microseconds since 1970-01-01T00:00:00Z.
        case pendingCounted(Int, oldest: Int64?)
        /// The number of set-aside changes, and the time of the oldest one; `nil` if the store cannot be read.
        case setAsideCounted((count: Int, oldest: Int64?)?)
        case logRead(NewEvents)
        case prepared([Outbox.PreparedRow])
        case appended(Append, Reception)
        case pushesReceived(Reception)
        case pageReceived(Inbox.PageAppend, Reception)
        case recordsReceived([Inbox.RecordAnswer], Reception)
        case swept(Inbox.Sweep, Sweeping)
        case settled(slot: Int)
        case decided(SyncConflict.Decision, slot: Int)
        case chosen(SyncProtocol)
    }

    /// The content of a store that the engine starts with.
    package struct Contents: Sendable {
        /// The notes of the sync engine by name.
        package var notes: [String: [UInt8]]
        /// The outbox's position.
        package var position: Position
        /// The pending changes, up to the log's end.
        package var pending: PendingChanges
        /// The mutations that may be in flight, by slot.
        package var marks: [Int: SentMark]
        /// The failed tries of these mutations, by slot.
        package var tries: [Int: FailedTries]
        /// The fields and the records of each model that the queries ask for, as a text.
        package var questions: [String: String] = [:]
        /// The protocol of the server; `automatic` if the server has not decided yet.
        package var syncProtocol = SyncProtocol.versioned

        package init(
            notes: [String: [UInt8]], position: Position, pending: PendingChanges, marks: [Int: SentMark],
            tries: [Int: FailedTries]
        ) {
            self.notes = notes
            self.position = position
            self.pending = pending
            self.marks = marks
            self.tries = tries
        }
    }

    /// The log's new events.
    package struct NewEvents: Sendable {
        package var entries: [LogEntry] = []
        /// How many of them are changes that were made here.
        package var changeCount = 0
        /// These changes, if a receiver of events needs them.
        package var changes: [OutboxMutationEvent] = []
        /// Whether changes may have been set aside or decided.
        package var concernsSetAside = false

        package init() {}
    }

    /// The result of appending records or answers.
    package struct Reception: Sendable {
        /// How many of the records were new or newer than in the store.
        package var recordCount = 0
        /// The models of which the server now has an older state than before.
        package var modelsBehind: Set<String> = []
        /// The records that were new or newer than in the store. Records of a base query are not included.
        package var records: [ServerRecord] = []
        /// The records that the store cannot hold: the model, and the reason as a sentence.
        package var unstorable: [(model: String, reason: String)] = []
        /// The records that the server must be asked for, because their pushes or responses may lack values.
        package var hints: [RecordHint] = []
        /// The records whose stamps in a digest differ from the store's.
        package var differing: [RecordHint] = []
        /// The counts of changes to visible rows.
        package var counts = ChangeCounts()

        package init() {}
    }

    /// The result of a ``Inbox.Sweep``.
    package struct Sweeping: Sendable {
        /// How many rows were removed.
        package var count = 0
        /// The records that may be missing only because the query did not see the latest changes. If there are any, the notes
        /// were not written.
        package var inDoubt: [RecordReference] = []
        /// How many records of the server the store has of the model.
        package var knownCount = 0

        package init() {}
    }

    /// The counts of changes to the records of a model.
    package struct ChangeCounts: Sendable {
        package var added = 0
        package var updated = 0
        package var deleted = 0

        mutating func add(_ other: ChangeCounts) {
            added += other.added
            updated += other.updated
            deleted += other.deleted
        }
    }
}
