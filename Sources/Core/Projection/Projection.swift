/// A pure mapping from events to entries of a table of its own, kept with the rows.
///
/// The engine hands it every event once, in order, inside the transaction that also moves the checkpoint; a rebuild hands
/// it every kept event again, on an empty table. So the table must follow from the events alone: no clock, no
/// randomness, nothing remembered outside it.
public protocol Projection: Sendable {
    /// The table's name: 1 to 64 letters, digits and underscores, unique in the store.
    var name: String { get }

    /// Counts from 1; raising it has the table built anew at the next open.
    var version: UInt32 { get }

    /// Maps one event into the table. Throwing fails every write of the group that the event belongs to.
    func project(_ event: Event, into table: ProjectionTable) throws
}

/// The table of one projection inside a write transaction.
public final class ProjectionTable {
    private let transaction: any StorageTransaction
    private let table: AuxiliaryTable

    init(_ transaction: any StorageTransaction, _ table: AuxiliaryTable) {
        self.transaction = transaction
        self.table = table
    }

    /// The value under `key`, `nil` where there is none.
    public func value(for key: [UInt8]) throws -> [UInt8]? {
        try key.withUnsafeBytes { try transaction.auxiliaryValue($0, in: table).map { Array($0) } }
    }

    /// Puts `value` under `key`.
    public func put(_ value: [UInt8], for key: [UInt8]) throws {
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
        }
    }

    /// Removes what is under `key`, if anything is.
    public func remove(_ key: [UInt8]) throws {
        try key.withUnsafeBytes { try transaction.deleteAuxiliary($0, in: table) }
    }
}
