@_spi(Adapters) internal import TidelogCore

/// After a persistent adapter was closed and opened again, it has exactly the same data.
enum PersistenceCases {
    private static let schema = TransactionCases.schema

    private static func row(_ model: String, _ id: String, _ number: Int64) -> Record {
        TransactionCases.row(model, id, number)
    }

    private static func makeCase(
        _ name: String, _ schema: Schema = schema, _ body: @escaping @Sendable (Subject) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase("persistence", "persistence: \(name)", on: schema, needsPersistence: true, body)
    }

    static let all: [ConformanceCase] = [
        makeCase("rows and checkpoint can be read after a close, before anything is prepared") { subject in
            try subject.save(row("First", "a", 1), row("Second", "b", 2))
            let checkpoint = subject.checkpoint(subject.sequence)
            try subject.reopen()
            try subject.read { scope in
                try expect(try scope.reader.checkpoint(), checkpoint, "The checkpoint.")
                try expect(try TransactionCases.contents(scope), ["First.a=1", "Second.b=2"], "The rows.")
            }
        },
        makeCase("rows and checkpoint can be read after a sync and a close") { subject in
            try subject.save(row("First", "a", 1))
            try subject.adapter.sync()
            try subject.reopen()
            try subject.prepare()
            try subject.readBoth { try expect(try TransactionCases.contents($0), ["First.a=1"], "The rows.") }
        },
        makeCase("a rolled back change does not exist") { subject in
            try subject.save(row("First", "a", 1))
            let checkpoint = subject.checkpoint(subject.sequence)
            try subject.transaction { scope in
                try scope.save([row("First", "a", 2), row("First", "b", 2)])
                return nil
            }
            try subject.reopen()
            try subject.read { scope in
                try expect(try TransactionCases.contents(scope), ["First.a=1"], "The rows.")
                try expect(try scope.reader.checkpoint(), checkpoint, "The checkpoint.")
            }
        },
        makeCase("cleared rows do not exist") { subject in
            try subject.save(row("First", "a", 1))
            try AuxiliaryCases.put(["a": "1"], in: 0, of: subject)
            try subject.clear()
            try subject.reopen()
            try subject.read { try expect(try $0.reader.checkpoint(), nil, "The checkpoint.") }
            try subject.prepare()
            try subject.readBoth { scope in
                try expect(try TransactionCases.contents(scope), [], "The rows.")
                try expect(try scope.auxiliaryEntries(in: Subject.auxiliaryTables[0]), [], "The auxiliary entries.")
            }
        },
        makeCase("auxiliary entries can be read") { subject in
            try AuxiliaryCases.put(["a": "1", "b": "2"], in: 1, of: subject)
            try subject.reopen()
            try subject.prepare()
            try subject.readBoth { scope in
                try expect(try scope.auxiliaryEntries(in: Subject.auxiliaryTables[1]).count, 2, "The entries.")
                try expect(try scope.auxiliary("a", in: Subject.auxiliaryTables[1]), Array("1".utf8), "One of them.")
            }
        },
        makeCase("indexes continue from their state before the close", IndexCases.schema) { subject in
            for shift in [0, 3] {
                for model in ["Plain", "Indexed"] { try subject.save(IndexCases.records(model, 50, shift: shift)) }
                try subject.reopen()
                try subject.prepare()
                try IndexCases.compare(subject, pages: [.all])
                try subject.delete("Plain", ["k1007", "k1008"])
                try subject.delete("Indexed", ["k1007", "k1008"])
            }
        },
        makeCase("an adapter opens ten times") { subject in
            for number in 0..<10 as Range<Int64> {
                try subject.save(row("First", "k\(number)", number))
                try subject.reopen()
                try subject.prepare()
                try subject.readBoth { try expect(try $0.count("First"), Int(number) + 1, "The rows so far.") }
            }
        },
        makeCase("a schema that grew while closed is prepared on the existing rows") { subject in
            try subject.save(row("First", "a", 1), row("First", "b", 2))
            try subject.reopen()
            let fields = [
                FieldSchema("id", .id, isRequired: true), FieldSchema("n", .int), FieldSchema("text", .string),
            ]
            try subject.adopt(
                Schema(models: [
                    ModelSchema(
                        name: "First", fields: fields,
                        indexes: [IndexSchema(name: "byTextN", fields: ["text", "n"])]),
                    ModelSchema(name: "Second", fields: fields), ModelSchema(name: "Third", fields: fields),
                ]))
            try subject.readBoth { scope in
                try expect(
                    try scope.ids("First", where: .field("text", .equal(nil)) && .field("n", .greater(1))), ["b"],
                    "By the new index.")
                try expect(try scope.count("Third"), 0, "The new model.")
            }
        },
        makeCase("a large row and a wide batch can be read", RowCases.schema(.string)) { subject in
            let large = RowCases.holder("large", .string(String(repeating: "x", count: 500_000)))
            try subject.save([large] + (0..<2_000).map { RowCases.holder("k\($0)", .string("v\($0)")) })
            try subject.reopen()
            try subject.read { scope in
                try expect(try scope.count("Holder"), 2_001, "The rows.")
                try expect(try scope.record("Holder", "large")?.rendering == large.rendering, true, "The large row.")
            }
        },
        makeCase("an adapter that was never written to opens") { subject in
            try subject.reopen()
            try subject.reopen()
            try subject.prepare()
            try subject.readBoth { try expect(try TransactionCases.contents($0), [], "No rows.") }
        },
    ]
}
