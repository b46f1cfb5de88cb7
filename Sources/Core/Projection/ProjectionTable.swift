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
