/// The end of a log: its last event and its last group.
struct LogEnd: Sendable {
    /// The number of the last group. A failed write may have used this number, so that no group has it.
    let group: UInt64
    /// The position of the last event.
    let position: Position

    /// Whether the events of `group` come right after this end.
    func isFollowed(by group: SealedEvents) -> Bool {
        group.isEmpty || group.first.value == position.sequence.value + 1
    }
}
