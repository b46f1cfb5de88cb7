@_spi(Adapters) internal import TidelogCore

/// A change of an entry of an auxiliary table.
struct AuxiliaryChange {
    /// The table's index among the subject's tables.
    let table: Int
    let key: [UInt8]
    /// The value to put, or `nil` to delete the entry.
    let value: [UInt8]?
}

/// Auxiliary entries under random keys, such as tombstones, server states and notes.
extension FuzzRound {
    /// Makes random changes of the tables. Several changes may concern the same entry.
    mutating func auxiliaryChanges() -> [AuxiliaryChange] {
        (0..<random.int(0...12)).map { _ in
            let table = random.int(0...(auxiliary.count - 1))
            let value = (0..<(random.oneIn(20) ? 6_000 : random.int(0...40))).map { _ in UInt8(random.int(0...255)) }
            return AuxiliaryChange(table: table, key: auxiliaryKey(), value: random.oneIn(4) ? nil : value)
        }
    }

    /// Makes a short key, so that keys often repeat or are prefixes of other keys.
    private mutating func auxiliaryKey() -> [UInt8] {
        (0..<random.int(1...4)).map { _ in random.pick([0, 1, 97, 98, 254, 255]) }
    }

    /// Compares an entry, and a part of a table in order, with the model's entries.
    mutating func askAuxiliary() throws {
        let index = random.int(0...(auxiliary.count - 1))
        let table = Subject.auxiliaryTables[index]
        let (key, after) = (auxiliaryKey(), random.oneIn(3) ? nil : auxiliaryKey())
        let limit = random.oneIn(2) ? Int.max : random.int(1...5)
        let expected = auxiliary[index].sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .filter { entry in after.map { $0.lexicographicallyPrecedes(entry.key) } ?? true }
            .prefix(limit).map { [$0.key, $0.value] }
        for candidate in subjects {
            let hint = "\(candidate.name): the auxiliary table \(table.name)"
            try candidate.subject.read { scope in
                let found = try key.withUnsafeBytes { try scope.reader.auxiliaryValue($0, in: table).map { Array($0) } }
                try expect(found, auxiliary[index][key], "\(hint), key \(key)")
                try expect(
                    try scope.auxiliaryEntries(after: after, in: table, limit: limit), expected,
                    "\(hint) after \(after.map { "\($0)" } ?? "nothing"), limit \(limit)")
            }
        }
    }
}

extension WriteScope {
    /// Applies the changes in their order.
    func apply(_ changes: [AuxiliaryChange]) throws {
        for change in changes {
            let table = Subject.auxiliaryTables[change.table]
            try change.key.withUnsafeBytes { key in
                guard let value = change.value else { return try transaction.deleteAuxiliary(key, in: table) }
                try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
            }
        }
    }
}
