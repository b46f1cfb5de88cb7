import SeededNumbers
import Testing
@_spi(Adapters) import Tidelog

@testable import TidelogServer

@Suite("Permissions as predicates")
struct PermissionPredicateTests {
    private static let model = ModelSchema(
        name: "Item",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("owner", .string),
            FieldSchema("editors", .list(.string, elementIsRequired: false)),
            FieldSchema("keepers", .list(.id, elementIsRequired: true)), FieldSchema("rank", .int),
            FieldSchema("ranks", .list(.int, elementIsRequired: false)),
        ])
    /// Two of the names read as é and differ only in their bytes, and `ann` is the beginning of `anna`.
    private static let names = ["ann", "anna", "\u{E9}", "e\u{301}", "bob", "1"]

    private static func record(_ generator: inout SeededGenerator) -> Record {
        var values: [String: FieldValue] = ["id": .string(generator.pick(names))]
        if generator.once(in: 2) { values["owner"] = .string(generator.pick(names)) }
        if generator.once(in: 2) {
            values["editors"] = .list(
                (0..<generator.below(4)).map { _ in generator.once(in: 4) ? nil : .string(generator.pick(names)) })
        }
        if generator.once(in: 2) { values["keepers"] = .list([.string(generator.pick(names))]) }
        if generator.once(in: 2) { values["rank"] = 1 }
        if generator.once(in: 2) { values["ranks"] = .list([1, nil]) }
        return Record(model: "Item", values: values)
    }

    private static func permission(_ generator: inout SeededGenerator) -> Permission {
        if generator.once(in: 6) { return generator.pick([.nobody, .everything]) }
        let fields = ["id", "owner", "editors", "keepers", "rank", "ranks", "nothing"]
        return .records(
            (0..<generator.below(4)).map { _ in
                Permission.RecordTest(
                    field: generator.pick(fields), role: generator.pick([.owner, .oneOfOwners, .member]),
                    names: (0...generator.below(3)).map { _ in Array(generator.pick(names).utf8) })
            })
    }

    @Test("the predicate of a permission holds for exactly the records that the permission includes")
    func agreement() throws {
        var generator = SeededGenerator(12)
        let layout = SchemaLayout(StoredSchema(first: Schema(models: [Self.model]))).models[0]
        var (included, excluded) = (0, 0)
        for _ in 0..<2_000 {
            let (permission, record) = (Self.permission(&generator), Self.record(&generator))
            let predicate = try RowPredicate(permission.predicate(of: Self.model), for: layout)
            let holds = try EncodedRow(stored: record, layout: layout).withRow { try predicate.evaluate($1) }
            #expect(holds == permission.holds(for: record), "\(permission) \(record)")
            if holds { included += 1 } else { excluded += 1 }
        }
        #expect(included > 200 && excluded > 400)
    }
}
