@_spi(Adapters) internal import TidelogCore

/// Auxiliary tables: keys and values in bytes, in the same transactions as the rows.
enum AuxiliaryCases {
    private static let schema = TransactionCases.schema
    private static let tables = Subject.auxiliaryTables

    /// Puts `entries` into table `index` in a separate commit.
    static func put(_ entries: [String: String], in index: Int, of subject: Subject) throws {
        try subject.write { scope in
            for (key, value) in entries { try put(Array(key.utf8), Array(value.utf8), in: index, scope) }
        }
    }

    private static func put(_ key: [UInt8], _ value: [UInt8], in index: Int, _ scope: WriteScope) throws {
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in try scope.transaction.putAuxiliary(key, value, in: tables[index]) }
        }
    }

    private static func delete(_ key: [UInt8], in index: Int, _ scope: WriteScope) throws {
        try key.withUnsafeBytes { try scope.transaction.deleteAuxiliary($0, in: tables[index]) }
    }

    static let all: [ConformanceCase] = [
        ConformanceCase("auxiliary", "auxiliary: a value comes back, is replaced, and goes", on: schema) { subject in
            try put(["a": "1", "b": ""], in: 0, of: subject)
            try subject.readBoth { scope in
                try expect(try scope.auxiliary("a", in: tables[0]), Array("1".utf8), "A value.")
                try expect(try scope.auxiliary("b", in: tables[0]), [], "An empty value is a value.")
                try expect(try scope.auxiliary("c", in: tables[0]), nil, "No value.")
            }
            try put(["a": "a longer value"], in: 0, of: subject)
            try subject.write { try delete(Array("b".utf8), in: 0, $0) }
            try subject.readBoth { scope in
                try expect(try scope.auxiliary("a", in: tables[0]), Array("a longer value".utf8), "A replaced value.")
                try expect(try scope.auxiliary("b", in: tables[0]), nil, "A deleted value.")
            }
        },
        ConformanceCase("auxiliary", "auxiliary: a delete of a missing entry changes nothing", on: schema) { subject in
            try put(["b": "1"], in: 0, of: subject)
            try subject.write { try delete(Array("a".utf8), in: 0, $0) }
            try subject.readBoth { scope in
                try expect(
                    try scope.auxiliaryEntries(in: tables[0]), [[Array("b".utf8), Array("1".utf8)]], "The entry.")
            }
        },
        ConformanceCase("auxiliary", "auxiliary: tables are kept apart, from each other and from rows", on: schema) {
            subject in
            try subject.save(TransactionCases.row("First", "a", 1))
            try put(["a": "first"], in: 0, of: subject)
            try put(["a": "second", "b": "second"], in: 1, of: subject)
            try subject.write { try delete(Array("b".utf8), in: 0, $0) }
            try subject.readBoth { scope in
                try expect(try scope.auxiliary("a", in: tables[0]), Array("first".utf8), "The first table.")
                try expect(try scope.auxiliary("a", in: tables[1]), Array("second".utf8), "The second table.")
                try expect(try scope.auxiliaryEntries(in: tables[0]).count, 1, "The first table's entries.")
                try expect(try scope.auxiliaryEntries(in: tables[1]).count, 2, "The second table's entries.")
                try expect(try TransactionCases.contents(scope), ["First.a=1"], "The rows.")
            }
        },
        ConformanceCase("auxiliary-order", "auxiliary: entries come in the order of their keys' bytes", on: schema) {
            subject in
            try subject.write { scope in
                for key in orderedKeys.reversed() { try put(key, key + [7], in: 0, scope) }
            }
            try subject.readBoth { scope in
                try expect(
                    try scope.auxiliaryEntries(in: tables[0]), orderedKeys.map { [$0, $0 + [7]] },
                    "All entries in order.")
            }
        },
        ConformanceCase(
            "auxiliary-order", "auxiliary: a scan continues after a key, whether the key exists or not", on: schema
        ) { subject in
            try subject.write { scope in
                for key in orderedKeys { try put(key, [], in: 0, scope) }
            }
            try subject.readBoth { scope in
                for (index, key) in orderedKeys.enumerated() {
                    try expect(
                        try scope.auxiliaryEntries(after: key, in: tables[0]).map { $0[0] },
                        Array(orderedKeys[(index + 1)...]), "After \(key).")
                    let absent = key + [0, 0, 0]
                    try expect(
                        try scope.auxiliaryEntries(after: absent, in: tables[0]).map { $0[0] },
                        orderedKeys.filter { absent.lexicographicallyPrecedes($0) },
                        "After \(absent), which is not there.")
                }
            }
        },
        ConformanceCase("auxiliary-order", "auxiliary: a scan ends when its closure returns false", on: schema) {
            subject in
            try put(["a": "1", "b": "2", "c": "3"], in: 0, of: subject)
            try subject.readBoth { scope in
                try expect(
                    try scope.auxiliaryEntries(in: tables[0], limit: 2).count, 2, "The closure returned false twice.")
            }
        },
        ConformanceCase("auxiliary", "auxiliary: a large value comes back", on: schema) { subject in
            let value = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try subject.write { try put([1], value, in: 0, $0) }
            try subject.readBoth { scope in
                try expect(
                    try scope.auxiliaryEntries(in: tables[0]) == [[[1], value]], true, "A value of 300,000 bytes.")
            }
        },
        ConformanceCase("auxiliary", "auxiliary: the largest note comes back, and the longest key", on: schema) {
            subject in
            let value = [UInt8](repeating: 0xA5, count: Limits.noteByteCount)
            let key = [UInt8](repeating: 0xFE, count: Limits.keyByteCount + 4)
            try subject.write { try put(key, value, in: 0, $0) }
            try subject.readBoth { scope in
                try expect(
                    try scope.auxiliaryEntries(in: tables[0]) == [[key, value]], true,
                    "A value of \(value.count) bytes under a key of \(key.count).")
            }
        },
        ConformanceCase(
            "auxiliary", "auxiliary: a table that is prepared later is empty, and the earlier tables stay", on: schema
        ) {
            subject in
            let later = AuxiliaryTable(index: 1, name: "later")
            try put(["a": "1"], in: 0, of: subject)
            try put(["a": "2"], in: 1, of: subject)
            // From now on, the second table has another place, like the table of a registered projection after an update.
            let moved = AuxiliaryTable(index: 2, name: tables[1].name)
            try subject.write { scope in
                try scope.transaction.prepare(subject.schema, auxiliaryTables: [tables[0], later, moved])
                try expect(try scope.read.auxiliaryEntries(in: later), [], "The new table.")
            }
            try subject.write { scope in
                try [UInt8]("b".utf8).withUnsafeBytes { key in
                    try [UInt8]("3".utf8).withUnsafeBytes { try scope.transaction.putAuxiliary(key, $0, in: later) }
                }
            }
            try subject.readBoth { scope in
                for (table, key, value) in [(tables[0], "a", "1"), (later, "b", "3"), (moved, "a", "2")] {
                    try expect(
                        try scope.auxiliaryEntries(in: table), [[Array(key.utf8), Array(value.utf8)]],
                        "The table \(table.name).")
                }
            }
        },
        ConformanceCase("reads-own-writes", "auxiliary: a transaction sees its own entries", on: schema) { subject in
            try put(["a": "1", "b": "1"], in: 0, of: subject)
            try subject.write { scope in
                try put(Array("a".utf8), Array("2".utf8), in: 0, scope)
                try put(Array("c".utf8), Array("2".utf8), in: 0, scope)
                try delete(Array("b".utf8), in: 0, scope)
                try expect(try scope.read.auxiliary("a", in: tables[0]), Array("2".utf8), "The new value.")
                try expect(try scope.read.auxiliary("b", in: tables[0]), nil, "The deleted value.")
                try expect(
                    try scope.read.auxiliaryEntries(in: tables[0]).map { $0[0] }, [Array("a".utf8), Array("c".utf8)],
                    "The keys.")
            }
        },
        ConformanceCase("rollback", "auxiliary: a rollback takes entries back", on: schema) { subject in
            try put(["a": "1"], in: 0, of: subject)
            try subject.transaction { scope in
                try put(Array("a".utf8), Array("2".utf8), in: 0, scope)
                try put(Array("b".utf8), Array("2".utf8), in: 1, scope)
                return nil
            }
            try subject.readBoth { scope in
                try expect(try scope.auxiliary("a", in: tables[0]), Array("1".utf8), "The value before.")
                try expect(try scope.auxiliaryEntries(in: tables[1]), [], "The other table.")
            }
        },
        ConformanceCase("snapshot-isolation", "auxiliary: a snapshot sees no later entry", on: schema) { subject in
            try put(["a": "1"], in: 0, of: subject)
            try subject.read { old in
                try put(["a": "2", "b": "2"], in: 0, of: subject)
                try expect(try old.auxiliary("a", in: tables[0]), Array("1".utf8), "The value as it was.")
                try expect(try old.auxiliaryEntries(in: tables[0]).count, 1, "The entries as they were.")
            }
        },
    ]

    private static let orderedKeys: [[UInt8]] = [
        [0], [0, 0], [0, 255], [1], [1, 2, 3], [97], [97, 0], [97, 98], [127], [128], [128, 0], [200, 1], [254], [255],
        [255, 255], [255, 255, 0],
    ]
}
