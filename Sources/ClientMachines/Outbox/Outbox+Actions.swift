package import TidelogSchema

extension Outbox {
    /// The actions that the outbox requests from the shell.
    package enum Action: Sendable {
        /// Read a row and a server state, and call ``Outbox/prepared(_:at:)``.
        case prepare(Preparation)
        /// Append these marks as notes, in one write, and call ``Outbox/marked(_:at:)``.
        case mark([Int: SentMark])
        /// Note that the server could not make the mutation of a slot at this time.
        case noteTries(slot: Int, RecordReference, FailedTries)
        /// Send the mutation and call ``Outbox/responsesReceived(_:to:at:jitter:)``.
        case send(OutgoingMutation, Ticket)
        /// Get the record from the server and call ``Outbox/fetched(_:for:at:jitter:)``.
        case fetch(RecordReference, Ticket)
        /// Decide a conflict and call ``Outbox/resolved(_:slot:at:)``.
        case resolve(SyncConflict, slot: Int)
        /// Append the server's answer in one write, and call ``Outbox/answered(slots:at:)``.
        case answer(Answer)
        /// The changes cancel each other out. Show the server's record, move the position, and call
        /// ``Outbox/settled(slot:at:)``.
        case settle(RecordReference, through: SequenceNumber, slot: Int)
        /// A record with a set-aside change was changed again. Add the change to the set-aside change.
        case join(RecordReference)
        /// Move the outbox's position to the end of the log, because nothing is pending.
        case advance(to: Position)
        /// Ask for a new token and call ``Outbox/sessionRestored(at:)``.
        case refreshSession
    }

    /// The data that the outbox needs before it can make a mutation.
    package struct Preparation: Sendable, Hashable {
        /// The slot that the mutation will have.
        package var slot: Int
        /// The record whose server state is needed.
        package var reference: RecordReference
        /// The event whose row is needed.
        package var last: SequenceNumber
    }

    /// The data that the shell read for a ``Outbox.Preparation``.
    package struct PreparedRow: Sendable {
        package var slot: Int
        package var state: ServerState?
        /// The row after the event; `nil` if there is none.
        package var row: Record?

        package init(slot: Int, state: ServerState?, row: Record?) {
            self.slot = slot
            self.state = state
            self.row = row
        }
    }

    /// The request that a response belongs to.
    package struct Ticket: Sendable, Hashable {
        /// The slot of the mutation.
        package var slot: Int
        /// The mutation.
        package var mutation: MutationID
        /// The number of the request among those for the mutation.
        package var request: UInt64
    }

    /// A server's answer to a mutation.
    package enum MutationResponse: Sendable, Hashable {
        /// The server performed the mutation and returned the record in its new state.
        case written(ServerRecord)
        /// The server refused. It returned the record if the error contained one.
        case refused(errorType: String, message: String, record: ServerRecord?)
        /// There was no usable answer, for example because of no network, an overloaded server, or a text that is not JSON.
        ///
        /// - `retryAfter`: The milliseconds that the server asks to wait.
        case failed(retryAfter: Int64?)
        /// The token has expired.
        case unauthenticated
    }

    /// A server's answer to the request for a record.
    package enum FetchResponse: Sendable, Hashable {
        /// The record, which may be a deleted one; `nil` if there is none.
        case record(ServerRecord?)
        /// The server refused the request.
        case refused(errorType: String, message: String)
        /// There was no usable answer.
        case failed(retryAfter: Int64?)
        /// The token has expired.
        case unauthenticated
    }

    /// A response to append.
    package struct Answer: Sendable, Hashable {
        /// The outcome of the change.
        package enum Outcome: Sendable, Hashable {
            /// The server accepted it, or a conflict was resolved. The server's record is valid; `nil` if the server has none.
            case taken(ServerRecord?)
            /// The server refused the change. It is set aside, and the row stays the same.
            case setAside(SetAsideChange.Reason, server: ServerRecord?)
            /// The server refused the change. It is set aside, and the row becomes the server's; `nil` if the server has none.
            case replaced(SetAsideChange.Reason, by: ServerRecord?)
            /// The change gave way to the server's record in a conflict. It was not made.
            case yielded(to: ServerRecord)
        }

        package var slot: Int
        package var reference: RecordReference
        /// The answered mutation. Its sequence number is the last event that the answer covers.
        package var mutation: OutgoingMutation
        package var mark: SentMark
        /// The server's errors before the answer that passed; `nil` if there were none.
        package var tries: FailedTries?
        package var outcome: Outcome
    }
}

extension Outbox.MutationResponse {
    /// The response of a server that may leave out values.
    ///
    /// A refusal with such a record counts as one without a record, so that the outbox asks for the whole record: a null in it
    /// would look like a change of the server.
    package func lackingValues(of models: SyncModels) -> Self {
        switch self {
        case .written(var record):
            record.mayLackValues = true
            return .written(record)
        case .refused(let errorType, let message, let record?):
            let names = models[record.reference.model]?.contents ?? []
            let isWhole = record.row.map { row in names.allSatisfy { row[$0] != nil } } ?? true
            return .refused(errorType: errorType, message: message, record: isWhole ? record : nil)
        case .refused, .failed, .unauthenticated: return self
        }
    }
}

extension Outbox.Action {
    /// Whether the action begins a mutation.
    var isBegin: Bool { if case .prepare = self { true } else { false } }
}

extension Outbox.Answer.Outcome {
    /// The server's record, if the row becomes it or has it already.
    package var record: ServerRecord? {
        switch self {
        case .taken(let record), .replaced(_, by: let record): record
        case .yielded(to: let record): record
        case .setAside: nil
        }
    }
}

extension Outbox.Answer {
    /// How often the mutation was tried: one time, and one more time after each conflict and each error.
    package var attempts: UInt32 { mark.attempt + (tries?.count ?? 0) }
}
