import SeededNumbers
@_spi(Adapters) import TidelogCore

/// A schema with every type of field. The numbers of the fields differ from the order of their declaration. It has a composite
/// key and a field that was dropped.
enum Everything {
    static let place = EmbeddedSchema(
        name: "Place",
        fields: [
            FieldSchema("name", .string), FieldSchema("latitude", .double), FieldSchema("since", .dateTime),
            FieldSchema("tags", .list(.string, elementIsRequired: false)),
        ])
    static let status = EnumSchema(name: "Status", cases: ["active", "archived", "lost"])

    static let fields: [FieldSchema] = [
        FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string), FieldSchema("int", .int),
        FieldSchema("double", .double), FieldSchema("bool", .bool), FieldSchema("status", .enumeration("Status")),
        FieldSchema("date", .date), FieldSchema("time", .time), FieldSchema("moment", .dateTime),
        FieldSchema("stamp", .timestamp), FieldSchema("place", .embedded("Place")),
        FieldSchema("tags", .list(.string, elementIsRequired: false)),
        FieldSchema("ints", .list(.int, elementIsRequired: false)),
        FieldSchema("moments", .list(.dateTime, elementIsRequired: true)),
        FieldSchema("places", .list(.embedded("Place"), elementIsRequired: true)),
    ]
    static let indexes = [
        IndexSchema(name: "byInt", fields: ["int"]), IndexSchema(name: "byText", fields: ["text", "bool"]),
        IndexSchema(name: "byMoment", fields: ["moment"]), IndexSchema(name: "byDouble", fields: ["double", "status"]),
        IndexSchema(name: "byDate", fields: ["date", "time", "stamp"]),
    ]

    static let first = Schema(
        models: [
            ModelSchema(name: "Everything", fields: Array(fields.reversed()) + [FieldSchema("gone", .string)]),
            ModelSchema(
                name: "Pair", fields: fields,
                primaryKey: ["id"], indexes: []),
        ], embeddedTypes: [place], enums: [status])

    static let second = Schema(
        models: [
            ModelSchema(name: "Everything", fields: fields, indexes: indexes),
            ModelSchema(name: "Pair", fields: pairFields, primaryKey: ["owner", "rank"], indexes: indexes),
        ], embeddedTypes: [place], enums: [status])

    static let pairFields =
        [FieldSchema("owner", .string, isRequired: true), FieldSchema("rank", .int, isRequired: true)]
        + fields.dropFirst()

    static let schema = StoredSchema(first: first).adopting(second)
}

/// Random values. There are few different ones, so that rows and constants are often equal.
extension SeededGenerator {
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    static let texts = [
        "", "a", "A", "ab", "abc", "b", "a\u{0}", "a\u{0}b", "\u{0}", "\u{0}\u{0}", "é", "e\u{301}", "z", "日本",
        "\u{10FFFF}",
        "\u{FFFF}", "😀", "%", "_", "a%b", "'", "\"", "1", "01", "1.0", "null", "ab\u{0}c",
    ]
    static let ints: [Int64] = [
        0, 1, -1, 2, 3, 1 << 53, (1 << 53) + 1, (1 << 53) + 2, -(1 << 53) - 1, .max, .min, .max - 1, .min + 1, 1_000,
    ]
    static let doubles: [Double] = [
        0, -0.0, 0.5, -0.5, 1, 2, 2.5, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p63, -0x1p63, 0x1p63 + 2048, 1e300, -1e300,
        0x1p-1074,
        9_223_372_036_854_774_784, 1_000,
    ]
    static let dates = ["2026-11-21", "2026-11-21Z", "2026-11-20+02:00", "1969-12-31", "0001-01-01", "9999-12-31Z"]
    static let times = ["10:30", "10:30:00.250", "12:30:00+02:00", "00:00", "23:59:59.999999999Z", "00:30+01:00"]
    static let moments = [
        "2026-11-21T10:30:00Z", "2026-11-21T12:30:00+02:00", "2026-11-21T10:30:00.000000001Z",
        "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-11-21T10:30Z",
    ]

    mutating func value(of type: FieldType) throws -> FieldValue {
        switch type {
        case .id, .string: .string(pick(Self.texts))
        case .int, .timestamp: .int(pick(Self.ints))
        case .double: .double(pick(Self.doubles))
        case .bool: .bool(chance(50))
        case .enumeration: .string(pick(Everything.status.cases))
        case .date: .date(try Temporal.Date(pick(Self.dates)))
        case .time: .time(try Temporal.Time(pick(Self.times)))
        case .dateTime: .dateTime(try Temporal.DateTime(pick(Self.moments)))
        case .embedded: .embedded(try values(of: Everything.place.fields))
        case .list(let element, let isRequired): .list(try list(of: element, isRequired))
        }
    }

    private mutating func list(of element: FieldType, _ isRequired: Bool) throws -> [FieldValue?] {
        var values: [FieldValue?] = []
        for _ in 0..<below(3) { values.append(!isRequired && chance(20) ? nil : try value(of: element)) }
        return values
    }

    mutating func values(of fields: [FieldSchema]) throws -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for field in fields where field.isRequired || chance(75) { values[field.name] = try value(of: field.type) }
        return values
    }
}

/// Random queries.
extension SeededGenerator {
    mutating func predicate(for model: ModelLayout, depth: Int = 0) throws -> QueryPredicate {
        switch below(depth > 2 ? 7 : 12) {
        case 7: return .not(try predicate(for: model, depth: depth + 1))
        case 8, 9: return .and(try members(for: model, depth: depth))
        case 10, 11: return .or(try members(for: model, depth: depth))
        default: return try comparison(for: model)
        }
    }

    private mutating func members(for model: ModelLayout, depth: Int) throws -> [QueryPredicate] {
        var members: [QueryPredicate] = []
        for _ in 0..<below(4) { members.append(try predicate(for: model, depth: depth + 1)) }
        return members
    }

    private mutating func comparison(for model: ModelLayout) throws -> QueryPredicate {
        let field = chance(20) ? pick(model.keyFields) : pick(model.row.fields)
        if chance(10) { return .field(field.name, chance(50) ? .equal(nil) : .notEqual(nil)) }
        if case .list(let element, _) = field.type, chance(70) {
            let value = try value(of: element)
            return .field(field.name, chance(50) ? .contains(value) : .notContains(value))
        }
        if field.type.isText, chance(40) {
            let text = pick(Self.texts)
            switch below(3) {
            case 0: return .field(field.name, .beginsWith(text))
            case 1: return .field(field.name, .contains(.string(text)))
            default: return .field(field.name, .notContains(.string(text)))
            }
        }
        let constant = try constant(for: field.type)
        guard field.type.isOrdered, chance(70) else {
            return .field(field.name, chance(70) ? .equal(constant) : .notEqual(constant))
        }
        switch below(5) {
        case 0: return .field(field.name, .less(constant))
        case 1: return .field(field.name, .lessOrEqual(constant))
        case 2: return .field(field.name, .greater(constant))
        case 3: return .field(field.name, .greaterOrEqual(constant))
        default: return .field(field.name, .between(constant, try self.constant(for: field.type)))
        }
    }

    /// A constant for a comparison. For a number it may be an integer or a double, and for a date and time it may be a text.
    private mutating func constant(for type: FieldType) throws -> FieldValue {
        switch type {
        case .int, .timestamp: chance(60) ? .int(pick(Self.ints)) : .double(pick(Self.doubles))
        case .double: chance(60) ? .double(pick(Self.doubles)) : .int(pick(Self.ints))
        case .dateTime: chance(50) ? .string(pick(Self.moments)) : try value(of: type)
        default: try value(of: type)
        }
    }

    mutating func sort(for model: ModelLayout) -> Sort {
        let ordered = model.row.fields.filter(\.type.isOrdered)
        var keys: [Sort.Key] = []
        for _ in 0..<below(4) {
            keys.append(Sort.Key(chance(20) ? model.keyFields[0].name : pick(ordered).name, isDescending: chance(50)))
        }
        return Sort(keys)
    }

    mutating func page() -> Page {
        switch below(4) {
        case 0: .all
        case 1: Page(offset: below(20), limit: below(30))
        case 2: .first(below(40))
        default: Page(offset: below(40))
        }
    }
}
