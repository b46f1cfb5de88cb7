/// The last mutation that a server has answered, as the log's events show.
struct AnsweredMutations {
    /// The outbox's position after the last answer.
    private(set) var last = SequenceNumber.zero

    /// Adds an event.
    mutating func note(_ event: EventView) {
        if let answer = event.answer { last = max(last, answer.outboxPosition) }
    }
}
