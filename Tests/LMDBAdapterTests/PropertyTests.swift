import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore

@_spi(Adapters) @testable import TidelogLMDBAdapter

@Suite("LMDB adapter: queries compared with a plain filter and sort")
struct PropertyTests {
    static let fields: [FieldSchema] = [
        FieldSchema("id", .id, isRequired: true), FieldSchema("group", .string, isRequired: true),
        FieldSchema("order", .int, isRequired: true), FieldSchema("title", .string), FieldSchema("whole", .int),
        FieldSchema("number", .double), FieldSchema("flag", .bool), FieldSchema("color", .enumeration("Color")),
        FieldSchema("moment", .dateTime), FieldSchema("stamp", .timestamp), FieldSchema("other", .id),
        FieldSchema("words", .list(.string, elementIsRequired: true)),
    ]

    static let indexes = [
        IndexSchema(name: "byWhole", fields: ["whole"]), IndexSchema(name: "byTitle", fields: ["title"]),
        IndexSchema(name: "byTitleWhole", fields: ["title", "whole"]),
        IndexSchema(name: "byNumber", fields: ["number"]),
        IndexSchema(name: "byFlagWhole", fields: ["flag", "whole", "moment"]),
        IndexSchema(name: "byColorTitle", fields: ["color", "title"]),
        IndexSchema(name: "byMoment", fields: ["moment"]),
        IndexSchema(name: "byOther", fields: ["other"]),
        IndexSchema(name: "byStampNumber", fields: ["stamp", "number"]),
    ]

    static func layout(key: [String], indexes: [IndexSchema]) throws -> SchemaLayout {
        let schema = Schema(
            models: [ModelSchema(name: "Sample", fields: fields, primaryKey: key, indexes: indexes)],
            enums: [EnumSchema(name: "Color", cases: ["red", "green", "blue"])])
        try schema.validate()
        return SchemaLayout(StoredSchema(first: schema))
    }

    @Test(
        "A query gives the same rows, order, page and count as filtering and sorting all rows",
        arguments: [["id"], ["group", "order"], ["group", "id"], ["order", "group"], ["group", "order", "id"]],
        [true, false])
    func everyQuery(key: [String], hasIndexes: Bool) throws {
        var generator = SeededGenerator(UInt64(key.count) * 31 + (hasIndexes ? 7 : 0) + UInt64(key[0].utf8.count))
        let schema = try Self.layout(key: key, indexes: hasIndexes ? Self.indexes : [])
        let model = schema.models[0]
        let scratch = try Scratch()
        let adapter = try scratch.open()
        defer { try? adapter.close() }
        var oracle = Oracle(model: model)
        try adapter.write { try $0.prepare(schema, auxiliaryTables: []) }
        for round in 0..<4 {
            let changes = try generator.changes(oracle, count: round == 0 ? 150 : 60)
            try adapter.write(UInt64(round) + 2) { transaction in
                for batch in changes {
                    try transaction.apply(batch, to: model)
                    try oracle.apply(batch)
                }
                for _ in 0..<10 { try Self.check(generator.query(oracle, model), transaction, oracle) }
            }
            try adapter.read { snapshot in
                for _ in 0..<80 { try Self.check(generator.query(oracle, model), snapshot, oracle) }
            }
        }
    }

    static func check(_ query: StorageQuery, _ reader: any AdapterReader, _ oracle: Oracle) throws {
        let expected = try oracle.keys(query)
        var found: [[UInt8]] = []
        try reader.fetch(query) { row in
            found.append(Array(row.key))
            return true
        }
        let plan = try reader.plan(query).summary
        #expect(
            found == expected,
            "\(plan): \(query.predicate), sort \(query.sort.map { ($0.field.name, $0.isDescending) })")
        #expect(try reader.count(query) == expected.count, "\(plan): \(query.predicate)")
    }
}

/// Keeps rows in a dictionary, and answers queries by reading every row.
struct Oracle {
    let model: ModelLayout
    private(set) var rows: [[UInt8]: EncodedRow] = [:]
    private(set) var records: [Record] = []

    init(model: ModelLayout) { self.model = model }

    mutating func apply(_ changes: [Change]) throws {
        for change in changes {
            switch change {
            case .put(let record):
                let row = try EncodedRow(record, layout: model)
                rows[row.key] = row
            case .delete(let record): rows[try EncodedRow(record, layout: model).key] = nil
            }
        }
        records = try rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, row in
            try row.withRow { try Record($1, layout: model) }
        }
    }

    func keys(_ query: StorageQuery) throws -> [[UInt8]] {
        var hits: [(key: [UInt8], record: Record)] = []
        for (key, row) in rows {
            if let afterKey = query.afterKey, !afterKey.lexicographicallyPrecedes(key) { continue }
            try row.withRow { _, view in
                if try query.filter.evaluate(view) { hits.append((key, try Record(view, layout: model))) }
            }
        }
        hits.sort { left, right in
            for (field, isDescending) in query.sort {
                let order = Self.compare(left.record[field.name], right.record[field.name])
                if order != 0 { return isDescending ? order > 0 : order < 0 }
            }
            return left.key.lexicographicallyPrecedes(right.key)
        }
        return Array(hits.map(\.key).dropFirst(query.page.offset).prefix(query.page.limit ?? .max))
    }

    private static func compare(_ left: FieldValue?, _ right: FieldValue?) -> Int {
        func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
            left < right ? -1 : (left == right ? 0 : 1)
        }
        switch (left, right) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (.string(let left), .string(let right)):
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (.int(let left), .int(let right)): return order(left, right)
        case (.double(let left), .double(let right)): return order(left, right)
        case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
        case (.dateTime(let left), .dateTime(let right)): return order(left.instant, right.instant)
        default: return 0
        }
    }
}
