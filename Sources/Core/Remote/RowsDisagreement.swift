/// An error: the rows contradict the log about the record or the note of an event.
struct RowsDisagreement: Error {
    let sequence: SequenceNumber
    /// The record's model, or `nil` if the event is a note.
    let model: String?
}
