/// How far a server has answered what a log asked of it, as the log's events say.
struct AnsweredMutations {
    /// Where the outbox was after the last answer.
    private(set) var last = SequenceNumber.zero

    /// Takes notice of an event.
    mutating func note(_ event: EventView) {
        if let answer = event.answer { last = max(last, answer.outboxPosition) }
    }
}
