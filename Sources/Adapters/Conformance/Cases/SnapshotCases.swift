internal import Dispatch
@_spi(Adapters) internal import TidelogCore
internal import TidelogSynchronization

/// As long as a snapshot exists, it shows the rows at the time when it was opened, on any thread.
enum SnapshotCases {
    private static let schema = TransactionCases.schema

    private static func row(_ model: String, _ id: String, _ number: Int64) -> Record {
        TransactionCases.row(model, id, number)
    }

    private static func contents(_ scope: ReadScope) throws -> [String] { try TransactionCases.contents(scope) }

    static let all: [ConformanceCase] = [
        ConformanceCase("snapshot-isolation", "snapshots: a snapshot sees no later commit", on: schema) { subject in
            try subject.save(row("First", "a", 1), row("Second", "a", 1))
            let checkpoint = subject.checkpoint(subject.sequence)
            try subject.read { old in
                let check = { (when: String) in
                    try expect(try contents(old), ["First.a=1", "Second.a=1"], when)
                    try expect(try old.record("First", "b"), nil, when)
                    try expect(try old.reader.checkpoint(), checkpoint, when)
                }
                try subject.save(row("First", "a", 2), row("First", "b", 2))
                try check("After a commit that changed and added rows.")
                try subject.delete("Second", ["a"])
                try check("After a commit that deleted a row.")
                try subject.save((0..<500).map { row("First", "k\($0)", Int64($0)) })
                try check("After a commit of many rows.")
            }
            try subject.readBoth { try expect(try $0.count("First"), 502, "A new snapshot.") }
        },
        ConformanceCase(
            "snapshot-isolation", "snapshots: one opened before anything was read is as old as one that read",
            on: schema
        ) { subject in
            try subject.save(row("First", "a", 1))
            try subject.read { old in
                try subject.save(row("First", "a", 2))
                try expect(try contents(old), ["First.a=1"], "The first read comes after the commit.")
            }
        },
        ConformanceCase("snapshot-isolation", "snapshots: the checkpoint of a snapshot is that of its rows", on: schema)
        {
            subject in
            try subject.save(row("First", "a", 1))
            let checkpoint = subject.checkpoint(subject.sequence)
            try subject.read { old in
                try subject.save(row("First", "a", 2))
                try expect(
                    try old.reader.checkpoint(), checkpoint, "The first call of checkpoint comes after the commit.")
            }
        },
        ConformanceCase("snapshot-isolation", "snapshots: each of several sees its own time", on: schema) { subject in
            try subject.save(row("First", "a", 1))
            try subject.read { first in
                try subject.save(row("First", "a", 2))
                try subject.read { second in
                    try subject.save(row("First", "a", 3))
                    try subject.read { third in
                        for _ in 0..<2 {
                            try expect(try contents(first), ["First.a=1"], "The first.")
                            try expect(try contents(third), ["First.a=3"], "The third.")
                            try expect(try contents(second), ["First.a=2"], "The second.")
                        }
                    }
                }
                try expect(
                    try contents(first), ["First.a=1"], "The first snapshot, after the second and the third ended.")
            }
        },
        ConformanceCase(
            "snapshot-isolation", "snapshots: a snapshot during an open transaction sees the last commit", on: schema
        ) { subject in
            try subject.save(row("First", "a", 1))
            try subject.write { scope in
                try scope.save([row("First", "a", 2)])
                try subject.read { try expect(try contents($0), ["First.a=1"], "During the transaction.") }
                try expect(try contents(scope.read), ["First.a=2"], "Inside the transaction.")
            }
        },
        ConformanceCase(
            "snapshot-isolation",
            "snapshots: a snapshot sees nothing of a transaction that was open when it was opened", on: schema
        ) { subject in
            try subject.save(row("First", "a", 1))
            let scope = try subject.adapter.snapshot()
            scope.end()
            var snapshot: (any AdapterSnapshot)?
            defer { snapshot?.end() }
            try subject.write { scope in
                try scope.save([row("First", "a", 2)])
                snapshot = try subject.adapter.snapshot()
                try scope.save([row("First", "b", 2)])
            }
            guard let snapshot else { return }
            try expect(
                try contents(ReadScope(reader: snapshot, schema: subject.schema)), ["First.a=1"], "After the commit.")
        },
        ConformanceCase(
            "snapshot-fresh", "snapshots: a row that is read without a snapshot is that of the last commit", on: schema
        ) { subject in
            try expect(try subject.record("First", "a")?.record, nil, "Before the first commit.")
            try subject.save(row("First", "a", 1), row("Second", "a", 5))
            let first = subject.sequence
            try subject.read { _ in
                try subject.write { scope in
                    try scope.save([row("First", "a", 2), row("First", "b", 2)])
                    try expect(try subject.record("First", "a")?.record, row("First", "a", 1), "During a transaction.")
                    try expect(try subject.record("First", "b")?.record, nil, "A row of an open transaction.")
                }
                let found = try subject.record("First", "a")
                try expect(found?.record, row("First", "a", 2), "After a commit, while an older snapshot is open.")
                try expect(found.map { $0.sequence > SequenceNumber(first) }, true, "The number of the last event.")
            }
            try expect(try subject.record("Second", "a")?.record, row("Second", "a", 5), "The row of another model.")
            try subject.delete("First", ["a"])
            try expect(try subject.record("First", "a")?.record, nil, "After its deletion.")
        },
        ConformanceCase("snapshot-repeatable", "snapshots: the same question twice gives the same answer", on: schema) {
            subject in
            try subject.save((0..<50).map { row("First", "k\($0)", Int64($0 % 7)) })
            try subject.read { scope in
                let predicate = QueryPredicate.field("n", .greater(2))
                let sort = Sort([.init("n", isDescending: true)])
                let first = try scope.ids("First", where: predicate, sort: sort)
                for number in 0..<5 as Range<Int64> {
                    try subject.save(row("First", "k\(number)", 100))
                    try expect(
                        try scope.ids("First", where: predicate, sort: sort), first, "Asked again after a commit.")
                    try expect(try scope.count("First", where: predicate), first.count, "Counted after a commit.")
                }
            }
        },
        ConformanceCase("snapshot-isolation", "snapshots: fetch continues while a commit changes the rows", on: schema)
        {
            subject in
            try subject.save((0..<100).map { row("First", "k\($0 + 100)", 1) })
            try subject.read { scope in
                var numbers: [String] = []
                try scope.reader.fetch(try scope.query("First")) { stored in
                    if numbers.count == 10 {
                        try subject.save((0..<100).map { row("First", "k\($0 + 100)", 2) })
                        try subject.delete("First", ["k150"])
                    }
                    numbers.append(try stored.row.int(1).map { "\($0)" } ?? "missing")
                    return true
                }
                try expect(numbers, Array(repeating: "1", count: 100), "Every row as it was.")
            }
        },
        ConformanceCase("snapshot-threads", "snapshots: a snapshot may be used on another thread", on: schema) {
            subject in
            try subject.save(row("First", "a", 1))
            let snapshot = try subject.adapter.snapshot()
            defer { snapshot.end() }
            let scope = Handover(value: ReadScope(reader: snapshot, schema: subject.schema))
            try onOtherThread { try expect(try contents(scope.value), ["First.a=1"], "On another thread.") }
            try subject.save(row("First", "a", 2))
            try onOtherThread {
                try expect(try contents(scope.value), ["First.a=1"], "On a third thread, after a commit.")
            }
            try expect(try contents(scope.value), ["First.a=1"], "On the first thread again.")
        },
        ConformanceCase(
            "snapshot-threads", "snapshots: four threads open and close snapshots during commits", on: schema
        ) { subject in
            try readWhileWriting(subject, threads: 4, commits: 60)
        },
        ConformanceCase("checkpoint-with-rows", "snapshots: rows and checkpoint change at the same moment", on: schema)
        {
            subject in
            try readWhileWriting(subject, threads: 1, commits: 100)
        },
        ConformanceCase(
            "snapshot-fresh", "snapshots: a new snapshot sees the last commit, however many were opened before",
            on: schema
        ) {
            subject in
            for number in 0..<100 as Range<Int64> {
                try subject.save(row("First", "a", number))
                for _ in 0...(number % 3) {
                    try subject.read { try expect(try $0.record("First", "a")?["n"], .int(number), "The last commit.") }
                }
            }
        },
    ]

    /// Each commit sets the rows of both models and the checkpoint to its number. Readers must always see three equal numbers.
    private static func readWhileWriting(_ subject: Subject, threads: Int, commits: Int64) throws {
        try subject.transaction { scope in
            try scope.save([row("First", "a", 0), row("Second", "a", 0)])
            return subject.checkpoint(0)
        }
        let adapter = subject.adapter
        let schema = subject.schema
        let isDone = Atomic(false)
        let found = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        for thread in 0..<threads {
            DispatchQueue(label: "reader \(thread)").async(group: group) {
                do {
                    while !isDone.load(ordering: .acquiring) { try checkEqual(adapter, schema) }
                } catch {
                    found.withLock { $0 = error }
                }
            }
        }
        let write = Result {
            for number in 1...commits {
                try subject.transaction { scope in
                    try scope.save([row("First", "a", number)])
                    try scope.save([row("Second", "a", number)])
                    return subject.checkpoint(UInt64(number))
                }
            }
        }
        isDone.store(true, ordering: .releasing)
        group.wait()
        if let error = found.withLock({ $0 }) { throw error }
        try write.get()
    }

    private static func checkEqual(_ adapter: any StorageAdapter, _ schema: SchemaLayout) throws {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        let scope = ReadScope(reader: snapshot, schema: schema)
        let first = try scope.record("First", "a")?["n"]?.rendering
        let checkpoint = try snapshot.checkpoint()?.sequence.description
        let second = try scope.records("Second").first?["n"]?.rendering
        guard first == second, second == checkpoint else {
            throw ConformanceFailure.Mismatch(
                expected: "two rows and a checkpoint of one commit",
                got:
                    "the row of First from commit \(first ?? "none"), the row of Second from commit \(second ?? "none"), "
                    + "the checkpoint of commit \(checkpoint ?? "none")",
                hint: "A commit makes rows and checkpoint visible in one step.")
        }
    }

    /// Runs `body` on another thread and waits until it has finished.
    private static func onOtherThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let result = Mutex<Result<Void, any Error>>(.success(()))
        let group = DispatchGroup()
        DispatchQueue(label: "other thread").async(group: group) {
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
        }
        group.wait()
        try result.withLock { $0 }.get()
    }
}

/// Passes a value to another thread.
private struct Handover<Value>: @unchecked Sendable {  // Sound: the threads use the value one after the other.
    let value: Value
}
