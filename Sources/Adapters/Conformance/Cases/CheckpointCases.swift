@_spi(Adapters) internal import TidelogCore

/// The checkpoint is kept with the rows. Clearing removes both.
enum CheckpointCases {
    private static let schema = TransactionCases.schema

    private static func row(_ model: String, _ id: String, _ number: Int64) -> Record {
        TransactionCases.row(model, id, number)
    }

    static let all: [ConformanceCase] = [
        ConformanceCase("checkpoint-round-trip", "checkpoint: every part of it comes back", on: schema) { subject in
            for checkpoint in [
                Checkpoint(
                    store: StoreID(high: .max, low: 0), sequence: SequenceNumber(.max), chain: .max,
                    schemaVersion: .max, projectionSignature: .max),
                Checkpoint(
                    store: StoreID(high: 0, low: 1 << 63), sequence: SequenceNumber(1 << 63), chain: 1,
                    schemaVersion: 1, projectionSignature: 0),
                Checkpoint(
                    store: StoreID(high: 0, low: 0), sequence: .zero, chain: 0, schemaVersion: 0,
                    projectionSignature: 0),
            ] {
                try subject.transaction { _ in checkpoint }
                try subject.readBoth {
                    try expect(try $0.reader.checkpoint(), checkpoint, "The checkpoint committed last.")
                }
            }
        },
        ConformanceCase("checkpoint-with-rows", "checkpoint: it changes with each commit's rows", on: schema) {
            subject in
            for number in 1...10 as ClosedRange<Int64> {
                try subject.save(row("First", "a", number))
                try subject.readBoth { scope in
                    try expect(
                        try scope.reader.checkpoint(), subject.checkpoint(subject.sequence), "After commit \(number).")
                    try expect(try scope.record("First", "a")?["n"], .int(number), "The row of commit \(number).")
                }
            }
        },
        ConformanceCase(
            "checkpoint-with-rows", "checkpoint: a transaction sees the one before until it commits", on: schema
        ) { subject in
            try subject.save(row("First", "a", 1))
            let before = subject.checkpoint(subject.sequence)
            try subject.write { scope in
                try scope.save([row("First", "a", 2)])
                try expect(try scope.read.reader.checkpoint(), before, "Inside the transaction.")
                try subject.read { try expect(try $0.reader.checkpoint(), before, "During the transaction.") }
            }
        },
        ConformanceCase("checkpoint-with-rows", "checkpoint: it may go back, as after a rebuild", on: schema) {
            subject in
            try subject.transaction { _ in subject.checkpoint(9) }
            try subject.transaction { _ in subject.checkpoint(3) }
            try subject.readBoth {
                try expect(try $0.reader.checkpoint(), subject.checkpoint(3), "The last one committed.")
            }
        },
        ConformanceCase("clear", "clear: no row is left, by key or by index", on: schema) { subject in
            try subject.save((0..<100).map { row("First", "k\($0)", Int64($0)) } + [row("Second", "a", 1)])
            try subject.clear()
            try subject.read { scope in
                try expect(try scope.ids("First"), [], "By key.")
                try expect(try scope.count("First"), 0, "By count.")
                try expect(try scope.record("First", "k1"), nil, "By get.")
                try expect(try scope.ids("First", where: .field("n", .greaterOrEqual(0))), [], "By index.")
                try expect(try scope.ids("Second", sort: Sort([.init("n")])), [], "The other model, by index.")
            }
        },
        ConformanceCase("clear-checkpoint", "clear: the checkpoint goes with the rows", on: schema) { subject in
            try subject.save(row("First", "a", 1))
            try subject.clear()
            try subject.read { scope in
                try expect(try scope.reader.checkpoint(), nil, "A checkpoint without its rows would skip their events.")
            }
        },
        ConformanceCase("clear", "clear: auxiliary entries go", on: schema) { subject in
            try AuxiliaryCases.put(["a": "1", "b": "2"], in: 0, of: subject)
            try subject.clear()
            try subject.read { scope in
                try expect(try scope.auxiliaryEntries(in: Subject.auxiliaryTables[0]), [], "By scan.")
                try expect(try scope.auxiliary("a", in: Subject.auxiliaryTables[0]), nil, "By key.")
            }
        },
        ConformanceCase("clear", "clear: later rows do not depend on cleared rows", on: schema) { subject in
            try subject.save(row("First", "a", 1), row("First", "b", 2))
            try subject.clear()
            try subject.prepare()
            try subject.save(row("First", "b", 3))
            try subject.readBoth {
                try expect(try TransactionCases.contents($0), ["First.b=3"], "The row after clear.")
            }
        },
        ConformanceCase("clear", "clear: an empty adapter can be cleared, and twice", on: schema) { subject in
            try subject.clear()
            try subject.clear()
            try subject.prepare()
            try subject.save(row("First", "a", 1))
            try subject.readBoth {
                try expect(try TransactionCases.contents($0), ["First.a=1"], "The row after clear.")
            }
        },
    ]
}
