package import TidelogCore

/// The steps that the outbox asks the shell for.
package enum OutboxAction: Sendable {
    /// Read a row and a server state, and call ``Outbox/prepared(_:at:)``.
    case prepare(Preparation)
    /// Append these marks as notes, in one write, and call ``Outbox/marked(_:at:)``.
    case mark([Int: SentMark])
    /// Remove the note of a mark whose mutation has its response.
    case removeMark(slot: Int)
    /// Send the mutation and call ``Outbox/responseReceived(_:to:at:jitter:)``.
    case send(OutgoingMutation, OutboxTicket)
    /// Get the record from the server and call ``Outbox/fetched(_:for:at:jitter:)``.
    case fetch(RecordReference, OutboxTicket)
    /// Decide a conflict and call ``Outbox/resolved(_:slot:at:)``.
    case resolve(SyncConflict, slot: Int)
    /// Append what the server answered, in one write, and call ``Outbox/answered(slot:at:)``.
    case answer(OutboxAnswer)
    /// The changes amount to nothing: show what the server has, move the position, and call ``Outbox/settled(slot:at:)``.
    case settle(RecordReference, through: SequenceNumber, slot: Int)
    /// A change was made to a record that has a set-aside change: let the change join it.
    case join(RecordReference)
    /// Move the outbox's position to the end of the log, as nothing is pending.
    case advance(to: Position)
    /// Ask for a new token and call ``Outbox/sessionRestored(at:)``.
    case refreshSession
}

/// The data that the outbox needs before it can make a mutation.
package struct Preparation: Sendable, Hashable {
    /// The slot that the mutation will have.
    package var slot: Int
    /// The record: its server state is asked for.
    package var reference: RecordReference
    /// The event whose row is asked for.
    package var last: SequenceNumber
}

/// The data that the shell read for a ``Preparation``.
package struct PreparedRow: Sendable {
    package var slot: Int
    package var state: ServerState?
    /// The row after the event; `nil` if the event leaves none.
    package var row: Record?

    package init(slot: Int, state: ServerState?, row: Record?) {
        (self.slot, self.state, self.row) = (slot, state, row)
    }
}

/// Which request a response belongs to.
package struct OutboxTicket: Sendable, Hashable {
    /// The slot of the mutation.
    package var slot: Int
    /// The mutation.
    package var mutation: MutationID
    /// Counts the requests of the mutation.
    package var request: UInt64
}

/// A server's answer to a mutation.
package enum MutationResponse: Sendable, Hashable {
    /// It gave the record as it is now.
    case written(ServerRecord)
    /// It refused, and gave the record if the error had one.
    case refused(errorType: String, message: String, record: ServerRecord?)
    /// There was no usable answer: no network, a full server, a text that is no JSON.
    ///
    /// - `retryAfter`: The milliseconds that the server asks to wait.
    case failed(retryAfter: Int64?)
    /// The token has expired.
    case unauthenticated
}

/// A server's answer to the question for a record.
package enum FetchResponse: Sendable, Hashable {
    /// The record, deleted ones too; `nil` if there is none.
    case record(ServerRecord?)
    /// The server refused.
    case refused(errorType: String, message: String)
    /// There was no usable answer.
    case failed(retryAfter: Int64?)
    /// The token has expired.
    case unauthenticated
}

/// A response that is to be appended.
package struct OutboxAnswer: Sendable, Hashable {
    /// The end of the change.
    package enum Outcome: Sendable, Hashable {
        /// The server took it, or decided otherwise; the server's record counts, `nil` if it has none.
        case taken(ServerRecord?)
        /// The server refused it: it is set aside. The row stays as it is.
        case setAside(SetAsideReason, server: ServerRecord?)
        /// The server refused it: it is set aside. The row becomes the server's, `nil` if it has none.
        case replaced(SetAsideReason, by: ServerRecord?)
    }

    package var slot: Int
    package var reference: RecordReference
    /// The mutation that is answered; its sequence is the last event that the answer covers.
    package var mutation: OutgoingMutation
    package var mark: SentMark
    package var outcome: Outcome
}

/// Why a change was set aside.
package struct SetAsideReason: Sendable, Hashable {
    /// The server's name for the kind of error, or the engine's own.
    package var errorType: String
    /// A sentence.
    package var message: String

    package init(_ errorType: String, _ message: String) { (self.errorType, self.message) = (errorType, message) }

    /// The kind of error and the sentence. AppSync gives an invalid request no kind.
    package var text: String { errorType.isEmpty ? message : "\(errorType): \(message)" }
}
