import SeededNumbers
import ServerSupport
import TestStores
import Testing
@_spi(Adapters) import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

/// Compares how the service evaluates random filters on stored rows with ``PlainFilter``.
@Suite("The meaning of filters")
struct FilterMeaningTests {
    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Item",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string),
                    FieldSchema("status", .enumeration("Status")), FieldSchema("rank", .int),
                    FieldSchema("share", .double), FieldSchema("isOpen", .bool), FieldSchema("day", .date),
                    FieldSchema("clock", .time), FieldSchema("at", .dateTime), FieldSchema("stamp", .timestamp),
                    FieldSchema("tags", .list(.string, elementIsRequired: false)),
                    FieldSchema("marks", .list(.enumeration("Status"), elementIsRequired: true)),
                    FieldSchema("days", .list(.date, elementIsRequired: false)),
                    FieldSchema("ranks", .list(.int, elementIsRequired: false)),
                    FieldSchema(Metadata.version, .int, isRequired: true),
                    FieldSchema(Metadata.lastChangedAt, .timestamp, isRequired: true),
                    FieldSchema(Metadata.deleted, .bool),
                ],
                indexes: [
                    IndexSchema(name: "byRank", fields: ["rank", "title"]),
                    IndexSchema(name: "byDay", fields: ["day"]),
                    IndexSchema(name: "byChange", fields: ["_lastChangedAt"]),
                ])
        ], enums: [EnumSchema(name: "Status", cases: ["draft", "done"])])

    private static var model: ModelSchema { schema.models[0] }

    // MARK: Records

    private static func record(_ number: Int, _ generator: inout SeededGenerator) -> Record {
        var values: [String: FieldValue] = ["id": .string("r\(number)")]
        for field in model.fields where field.name != "id" && !Metadata.names.contains(field.name) {
            guard !generator.once(in: 4) else { continue }
            let value = FieldValue(input(of: field.type, &generator), as: field.type, in: schema)
            // A text that is not a date can stand in a filter, but not in a record.
            if let value, value.isStorable(as: field.type) { values[field.name] = value }
        }
        return Record(model: "Item", values: values)
    }

    // MARK: Filters

    private static let texts = ["", "a", "ab", "abc", "b", "Z\u{FC}rich", "\u{FC}", "a\u{0}b", "draft", "done"]
    private static let days = [
        "2026-11-21", "2026-11-21Z", "2026-11-22+02:00", "2026-12-01+02:00", "2025-01-01", "2026-11", "2026", "x", "",
    ]
    private static let clocks = ["10:30", "10:30:00Z", "11:30:00.5+01:00", "00:15:00+01:00", "09:00", "10:", "1", ""]
    private static let moments = [
        "2026-11-21T10:30:00Z", "2026-11-21T11:30:00+01:00", "2026-11-22T00:30:00+01:00", "2025-01-01T00:00:00Z",
        "2026-11-21", "2026", "T", "",
    ]

    /// A random value that a request may give to a field of `type`, or to an element of a list.
    private static func input(of type: FieldType, _ generator: inout SeededGenerator) -> InputValue {
        switch type {
        case .id, .string: return .string(generator.pick(texts))
        case .enumeration: return .string(generator.pick(["draft", "done"]))
        case .int, .timestamp: return .int(Int64(generator.below(7)) - 2)
        case .double:
            return generator.once(in: 3) ? .int(Int64(generator.below(3))) : .double(Double(generator.below(9)) / 4)
        case .bool: return .bool(generator.once(in: 2))
        case .date: return .string(generator.pick(days))
        case .time: return .string(generator.pick(clocks))
        case .dateTime: return .string(generator.pick(moments))
        case .list(let element, let isRequired):
            return .list(
                (0..<generator.below(4)).map { _ in
                    !isRequired && generator.once(in: 4) ? .null : input(of: element, &generator)
                })
        case .embedded: return .null
        }
    }

    /// The type of the values that the filters of a field accept. For a list, it is the type of the elements; only `eq` and
    /// `ne` of a list of enums accept a whole list.
    private static func operand(of field: FieldSchema) -> FieldType {
        if case .list(let element, _) = field.type { element } else { field.type }
    }

    private static func object(_ members: [(String, InputValue)]) -> InputValue {
        .object(InputObject(members.map { InputObject.Member(name: $0.0, value: $0.1) }))
    }

    private static func test(_ field: FieldSchema, _ generator: inout SeededGenerator) -> (String, InputValue) {
        let type = operand(of: field)
        func value(_ generator: inout SeededGenerator) -> InputValue { input(of: type, &generator) }
        switch generator.below(16) {
        case 0: return ("attributeExists", .bool(generator.once(in: 2)))
        case 1: return ("attributeType", .string(generator.pick(["string", "number", "bool", "list", "map", "_null"])))
        case 2: return (generator.pick(["eq", "ne", "lt", "contains"]), .null)
        case 3, 4:
            let number = InputValue.int(Int64(generator.below(12)))
            let name = generator.pick(["eq", "ne", "lt", "le", "gt", "ge", "between"])
            let size = name == "between" ? InputValue.list([.int(Int64(generator.below(6))), number]) : number
            return ("size", object([(name, size)]))
        case 5: return ("between", .list([value(&generator), value(&generator)]))
        case 6, 7:
            let values = (0..<generator.below(12)).map { _ in value(&generator) }
            return (generator.pick(["in", "notIn"]), .list(values))
        case 8, 9:
            guard case .string(let text) = value(&generator) else { return ("ge", value(&generator)) }
            return (
                generator.pick(["beginsWith", "contains", "notContains"]),
                .string(String(text.prefix(generator.below(6))))
            )
        case 10: return (generator.pick(["contains", "notContains"]), value(&generator))
        case 11 where field.name == "marks": return (generator.pick(["eq", "ne"]), input(of: field.type, &generator))
        default: return (generator.pick(["eq", "ne", "lt", "le", "gt", "ge"]), value(&generator))
        }
    }

    private static func filter(_ generator: inout SeededGenerator, depth: Int = 0) -> InputValue {
        var members: [(String, InputValue)] = []
        for _ in 0..<(1 + generator.below(2)) {
            switch generator.below(depth > 2 ? 6 : 10) {
            case 0...5:
                let field = generator.pick(model.fields)
                let tests = (0..<(1 + generator.below(2))).map { _ in test(field, &generator) }
                members.append((field.name, object(tests)))
            case 6, 7:
                let filters = (0..<generator.below(4)).map { _ in filter(&generator, depth: depth + 1) }
                members.append((generator.pick(["and", "or"]), .list(filters)))
            default: members.append(("not", filter(&generator, depth: depth + 1)))
            }
        }
        return object(members)
    }

    // MARK: Tests

    @Test("random filters select exactly the records that a plain implementation selects", arguments: Adapter.all)
    func pages(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let clock = HandSetClock()
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: Self.schema), adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
        let versions = try await LogVersionedStore(
            store, schema: Self.schema, source: "", tombstoneAge: 1_000, clock: clock.read)
        var generator = SeededGenerator(71)
        for number in 0..<60 {
            let record = Self.record(number, &generator)
            _ = try await versions.change("Item", RecordID("r\(number)"), name: nil) { _ in
                number % 9 == 0 ? .delete(record) : .save(record)
            }
        }
        let records = try await versions.page(PageQuery(Record.all(of: "Item"), limit: 1_000)).records
        let layout = SchemaLayout(StoredSchema(first: Self.schema)).models[0]
        let rows = try records.map { try EncodedRow(stored: $0, layout: layout) }
        let budget = ComparisonBudget(maximumByteCount: .max)
        var (kept, dropped) = (0, 0)
        for _ in 0..<500 {
            let input = Self.filter(&generator)
            let plain = try PlainFilterReader(model: Self.model, schema: Self.schema).filter(input)
            let filter = try FilterReader(model: Self.model, schema: Self.schema).filter(input)
            let expected = records.filter { plain.holds(for: $0) }
            // The test reads one page in the order of the key, and then all pages with the plan of the filter.
            var query = PageQuery(Record.all(of: "Item"), limit: 1_000)
            query.filter = filter.predicate
            #expect(try await versions.page(query).records == expected, "\(input)")
            let plan = FilterPlan(filter.predicate, of: Self.model)
            query.query = query.query.where(plan.predicate).sorted(by: plan.sort)
            query.limit = 7
            var found: [Record] = []
            repeat {
                let page = try await versions.page(query)
                found += page.records
                query.place = page.next
            } while query.place != nil
            #expect(Set(found) == Set(expected) && found.count == expected.count, "\(input)")
            // Conditions and filters of subscriptions are evaluated on single rows.
            let condition = try filter.condition(on: layout)
            for (record, row) in zip(records, rows) {
                #expect(try condition.holds(for: row, within: budget) == plain.holds(for: record), "\(input)")
            }
            let empty = plain.holds(for: Record(model: "Item", values: [:]))
            #expect(try condition.holds(for: .withoutValues, within: budget) == empty, "\(input)")
            kept += expected.count
            dropped += records.count - expected.count
        }
        #expect(kept > 5_000 && dropped > 5_000)
        try await store.close()
    }
}

extension FieldValue {
    /// Whether a field of `type` can store the value. A field for a date or a time cannot store a plain text.
    fileprivate func isStorable(as type: FieldType) -> Bool {
        switch (type, self) {
        case (.date, .string), (.time, .string), (.dateTime, .string): false
        case (.list(let element, _), .list(let elements)): elements.allSatisfy { $0?.isStorable(as: element) ?? true }
        default: true
        }
    }
}
