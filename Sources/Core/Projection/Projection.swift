/// A pure mapping from events to the entries of its own table, which is kept with the rows.
///
/// The engine passes every event once, in order, after it was appended, inside the transaction that also moves the checkpoint.
/// A rebuild passes every kept event again, with an empty table. Therefore the table must depend only on the events: not on a
/// clock, on random numbers, or on state outside the table.
public protocol Projection: Sendable {
    /// The table's name: 1 to 64 letters, digits and underscores, unique in the store.
    var name: String { get }

    /// The version of the projection, from 1. After it was raised, the next opening rebuilds the table.
    var version: UInt32 { get }

    /// Applies one event to the table.
    ///
    /// The event is a fact, so throwing an error does not undo it. After an error, reads and writes throw
    /// `projectionUnavailable`, while the engine tries again after growing pauses of up to 10 seconds.
    func project(_ event: Event, into table: ProjectionTable) throws
}
