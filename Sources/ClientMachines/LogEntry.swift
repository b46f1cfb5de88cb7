package import TidelogSchema

/// An event of the log, reduced to the data that the sync engine uses.
package struct LogEntry: Sendable {
    /// The meaning of an event for the sync engine.
    package enum Content: Sendable {
        /// A change that was made here.
        case change(PendingChange)
        /// The server's record arrived and is visible from now on, or it left the scope.
        case visible(RecordReference)
        /// The server's record arrived while changes were pending, so it is not visible.
        case shadowed(ServerRecord)
        /// A change was set aside, or a later change was added to it.
        case setAside(SetAsideChange)
        /// The set-aside change with this first event was tried again or discarded.
        case decided(SequenceNumber)
        /// An event without a meaning for the sync engine.
        case other
    }

    /// The place after the event.
    package var position: Position
    /// The meaning of the event.
    package var content: Content
    /// The mutation that the event answers, and the record of the mutation.
    package var answer: (reference: RecordReference, mutation: MutationID)?

    package init(
        _ position: Position, _ content: Content, answer: (reference: RecordReference, mutation: MutationID)? = nil
    ) {
        self.position = position
        self.content = content
        self.answer = answer
    }
}
