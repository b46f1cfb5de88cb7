@_spi(Adapters) internal import TidelogCore

/// A transaction sees its own changes. Either all or none of them are kept.
enum TransactionCases {
    static let schema: Schema = {
        let fields = [FieldSchema("id", .id, isRequired: true), FieldSchema("n", .int)]
        let index = IndexSchema(name: "byN", fields: ["n"])
        return Schema(models: [
            ModelSchema(name: "First", fields: fields, indexes: [index]),
            ModelSchema(name: "Second", fields: fields, indexes: [index]),
        ])
    }()

    static func row(_ model: String, _ id: String, _ number: Int64) -> Record {
        Record(model: model, values: ["id": .string(id), "n": .int(number)])
    }

    /// The ids and numbers of all rows, read from the table and from the index.
    static func contents(_ scope: ReadScope) throws -> [String] {
        var lines: [String] = []
        for model in ["First", "Second"] {
            let byKey = try scope.records(model)
            let byIndex = try scope.records(model, sort: Sort([.init("n")]))
            try expect(
                byIndex.map(\.rendering).sorted(), byKey.map(\.rendering).sorted(), "\(model) by index and by key.")
            for record in byKey { lines.append("\(model).\(record.id)=\(record["n"]?.rendering ?? "missing")") }
        }
        return lines
    }

    static let all: [ConformanceCase] = [
        ConformanceCase(
            "reads-own-writes", "transactions: get, fetch and count see earlier changes of the transaction", on: schema
        ) {
            subject in
            try subject.save(row("First", "a", 1), row("First", "b", 2))
            try subject.write { scope in
                try scope.save([row("First", "c", 3), row("First", "a", 10)])
                try expect(try scope.read.record("First", "a")?["n"], .int(10), "The overwritten row, by get.")
                try expect(try scope.read.record("First", "c")?["n"], .int(3), "The new row, by get.")
                try expect(try scope.read.ids("First"), ["a", "b", "c"], "All rows, by fetch.")
                try expect(try scope.read.count("First"), 3, "All rows, by count.")
                try expect(
                    try scope.read.ids("First", where: .field("n", .equal(10))), ["a"], "The new value, by index.")
                try expect(try scope.read.ids("First", where: .field("n", .equal(1))), [], "The old value, by index.")
                try expect(
                    try scope.read.ids("First", sort: Sort([.init("n", isDescending: true)])), ["a", "c", "b"],
                    "The new order.")
                try scope.delete("First", ["b"])
                try expect(try scope.read.record("First", "b"), nil, "The deleted row, by get.")
                try expect(try scope.read.ids("First"), ["a", "c"], "The rows left, by fetch.")
                try expect(
                    try scope.read.count("First", where: .field("n", .equal(2))), 0, "The deleted row, by index.")
                try scope.save([row("First", "b", 4)])
                try expect(try scope.read.record("First", "b")?["n"], .int(4), "The row that came again.")
            }
            try subject.readBoth {
                try expect(try contents($0), ["First.a=10", "First.b=4", "First.c=3"], "After the commit.")
            }
        },
        ConformanceCase("reads-own-writes", "transactions: a transaction starts from the last commit", on: schema) {
            subject in
            for number in 0..<5 as Range<Int64> {
                try subject.write { scope in
                    try expect(try scope.read.count("First"), Int(number), "The rows of the earlier commits.")
                    try scope.save([row("First", "k\(number)", number)])
                }
            }
        },
        ConformanceCase("rollback", "transactions: a rollback leaves no row, index entry or checkpoint", on: schema) {
            subject in
            try subject.save(row("First", "a", 1), row("Second", "a", 1))
            let before = subject.checkpoint(subject.sequence)
            try subject.transaction { scope in
                try scope.save([row("First", "a", 2), row("First", "b", 2), row("Second", "c", 2)])
                try scope.delete("Second", ["a"])
                return nil
            }
            try subject.readBoth { scope in
                try expect(try contents(scope), ["First.a=1", "Second.a=1"], "After the rollback.")
                try expect(try scope.reader.checkpoint(), before, "The checkpoint before.")
                try expect(
                    try scope.count("First", where: .field("n", .equal(2))), 0, "The rolled back rows, by index.")
            }
        },
        ConformanceCase("rollback", "transactions: a commit after a rollback is whole and on its own", on: schema) {
            subject in
            try subject.transaction { scope in
                try scope.save([row("First", "lost", 1)])
                return nil
            }
            try subject.save(row("First", "kept", 2))
            try subject.transaction { _ in nil }
            try subject.save(row("First", "also", 3))
            try subject.readBoth {
                try expect(try contents($0), ["First.also=3", "First.kept=2"], "The commits only.")
            }
        },
        ConformanceCase("rollback", "transactions: a rollback of 5,000 rows leaves none", on: schema) { subject in
            try subject.transaction { scope in
                try scope.save((0..<5_000).map { row("First", "k\($0)", Int64($0)) })
                return nil
            }
            try subject.readBoth { try expect(try $0.count("First"), 0, "After the rollback.") }
        },
        ConformanceCase("rollback", "transactions: a rollback without a change is nothing", on: schema) { subject in
            try subject.save(row("First", "a", 1))
            for _ in 0..<20 { try subject.transaction { _ in nil } }
            try subject.readBoth { try expect(try contents($0), ["First.a=1"], "Twenty rollbacks later.") }
        },
        ConformanceCase("atomic-commit", "transactions: no reader sees a part of several models' changes", on: schema) {
            subject in
            try subject.save(row("First", "a", 1), row("Second", "a", 1))
            try subject.write { scope in
                try scope.save([row("First", "a", 2)])
                try subject.read { outside in
                    try expect(
                        try contents(outside), ["First.a=1", "Second.a=1"], "Outside, after the first model's changes.")
                }
                try scope.save([row("Second", "a", 2)])
                try scope.save([row("First", "b", 2)])
                try subject.read { outside in
                    try expect(try contents(outside), ["First.a=1", "Second.a=1"], "Outside, before the commit.")
                    try expect(try outside.record("First", "b"), nil, "Outside, before the commit, by get.")
                    try expect(try outside.count("First", where: .field("n", .equal(2))), 0, "Outside, by index.")
                }
            }
            try subject.readBoth { scope in
                try expect(try contents(scope), ["First.a=2", "First.b=2", "Second.a=2"], "After the commit.")
            }
        },
        ConformanceCase("atomic-commit", "transactions: no reader sees a delete before its commit", on: schema) {
            subject in
            try subject.save(row("First", "a", 1), row("First", "b", 1))
            try subject.write { scope in
                try scope.delete("First", ["a"])
                try subject.read {
                    try expect(try contents($0), ["First.a=1", "First.b=1"], "Outside, before the commit.")
                }
            }
            try subject.readBoth { try expect(try contents($0), ["First.b=1"], "After the commit.") }
        },
        ConformanceCase("atomic-commit", "transactions: a commit without a change is allowed", on: schema) { subject in
            try subject.save(row("First", "a", 1))
            try subject.write { _ in }
            try subject.readBoth { scope in
                try expect(try contents(scope), ["First.a=1"], "The rows.")
                try expect(try scope.reader.checkpoint(), subject.checkpoint(subject.sequence), "The new checkpoint.")
            }
        },
        ConformanceCase("atomic-commit", "transactions: an empty batch is allowed", on: schema) { subject in
            try subject.write { scope in
                try scope.transaction.apply(UnsafeBufferPointer(start: nil, count: 0), to: subject.model("First"))
                try scope.save([row("First", "a", 1)])
            }
            try subject.readBoth { try expect(try contents($0), ["First.a=1"], "The rows.") }
        },
        ConformanceCase("sync", "transactions: sync after a commit changes no row", on: schema) { subject in
            try subject.adapter.sync()
            try subject.save(row("First", "a", 1))
            try subject.adapter.sync()
            try subject.adapter.sync()
            try subject.readBoth { try expect(try contents($0), ["First.a=1"], "The rows.") }
        },
    ]
}
