/// A pure mapping from events to entries of a table of its own, kept with the rows.
///
/// The engine hands it every event once, in order, after it was appended, inside the transaction that also moves the
/// checkpoint; a rebuild hands it every kept event again, on an empty table. So the table must follow from the events
/// alone: no clock, no randomness, nothing remembered outside it.
public protocol Projection: Sendable {
    /// The table's name: 1 to 64 letters, digits and underscores, unique in the store.
    var name: String { get }

    /// Counts from 1; raising it has the table rebuilt at the next opening.
    var version: UInt32 { get }

    /// Maps one event into the table.
    ///
    /// The event is a fact: throwing does not take it back. Reads throw `projectionUnavailable` from then on, and so do
    /// writes, while the engine tries again after growing pauses of up to 10 seconds.
    func project(_ event: Event, into table: ProjectionTable) throws
}

/// The table of one projection inside a write transaction.
public final class ProjectionTable {
    private enum Place {
        case stored(any AdapterTransaction, AuxiliaryTable)
        /// In memory, if the table is made again to compare it.
        case replayed([[UInt8]: [UInt8]])
    }

    private var place: Place

    init(_ transaction: any AdapterTransaction, _ table: AuxiliaryTable) { place = .stored(transaction, table) }

    /// An empty table in memory.
    init() { place = .replayed([:]) }

    /// What the table in memory holds.
    var replayed: [[UInt8]: [UInt8]] {
        if case .replayed(let entries) = place { entries } else { [:] }
    }

    /// The value under `key`, `nil` if there is none.
    public func value(for key: [UInt8]) throws -> [UInt8]? {
        switch place {
        case .stored(let transaction, let table):
            try key.withUnsafeBytes { try transaction.auxiliaryValue($0, in: table).map { Array($0) } }
        case .replayed(let entries): entries[key]
        }
    }

    /// Puts `value` under `key`.
    public func put(_ value: [UInt8], for key: [UInt8]) throws {
        switch place {
        case .stored(let transaction, let table):
            try key.withUnsafeBytes { key in
                try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
            }
        case .replayed: setReplayed(value, key)
        }
    }

    /// Removes what is under `key`, if anything is.
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
