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

/// The table of one projection inside a write transaction.
public final class ProjectionTable {
    private enum Place {
        case stored(any AdapterTransaction, AuxiliaryTable)
        /// In memory, if the table is made a second time to compare it.
        case replayed([[UInt8]: [UInt8]])
    }

    private var place: Place

    init(_ transaction: any AdapterTransaction, _ table: AuxiliaryTable) { place = .stored(transaction, table) }

    /// An empty table in memory.
    init() { place = .replayed([:]) }

    /// The entries of the table in memory.
    var replayed: [[UInt8]: [UInt8]] {
        if case .replayed(let entries) = place { entries } else { [:] }
    }

    /// The value for `key`, or `nil` if there is none.
    public func value(for key: [UInt8]) throws -> [UInt8]? {
        switch place {
        case .stored(let transaction, let table):
            try key.withUnsafeBytes { try transaction.auxiliaryValue($0, in: table).map { Array($0) } }
        case .replayed(let entries): entries[key]
        }
    }

    /// Stores `value` for `key`.
    public func put(_ value: [UInt8], for key: [UInt8]) throws {
        switch place {
        case .stored(let transaction, let table):
            try key.withUnsafeBytes { key in
                try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
            }
        case .replayed: setReplayed(value, key)
        }
    }

    /// Removes the value for `key`, if there is one.
    public func remove(_ key: [UInt8]) throws {
        switch place {
        case .stored(let transaction, let table):
            try key.withUnsafeBytes { try transaction.deleteAuxiliary($0, in: table) }
        case .replayed: setReplayed(nil, key)
        }
    }

    private func setReplayed(_ value: [UInt8]?, _ key: [UInt8]) {
        guard case .replayed(var entries) = place else { preconditionFailure("the table is in memory") }
        place = .replayed([:])
        entries[key] = value
        place = .replayed(entries)
    }
}
