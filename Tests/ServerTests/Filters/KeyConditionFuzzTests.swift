import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

/// Compares the answers to random conditions on keys of every scalar type with a plain implementation.
@Suite("Random conditions on keys", .timeLimit(.minutes(10)))
struct KeyConditionFuzzTests {
    /// A type of key fields.
    private struct KeyType: Sendable {
        let name: String
        let type: FieldType
        /// Valid values. The texts of dates and times are in UTC and have the same form, so that their order is the order of
        /// instants.
        let values: [InputValue]
        /// Further values that conditions may contain.
        var others: [InputValue] = []

        /// The values of conditions. AppSync's conditions on texts, dates and times accept every text.
        var operands: [InputValue] {
            let beginnings = values.flatMap { value -> [InputValue] in
                guard case .string(let text) = value, isText, !isEnum else { return [] }
                let whole = type == .string ? text : String(text.prefix { $0 != "Z" })
                return (0...whole.count).map { .string(String(whole.prefix($0))) }
            }
            return values + others + beginnings
        }

        var isEnum: Bool { if case .enumeration = type { true } else { false } }
        /// Whether conditions contain the values as texts.
        var isText: Bool { type.isText || [.date, .time, .dateTime].contains(type) }
    }

    private static func texts(_ texts: String...) -> [InputValue] { texts.map { .string($0) } }

    private static let types = [
        KeyType(name: "ID", type: .string, values: texts("1", "10", "2", "a", "\u{FC}"), others: texts("", "x")),
        KeyType(
            name: "String", type: .string, values: texts("a", "ab", "b", "Z\u{FC}rich", "#"),
            others: texts("", "\u{0}", String(repeating: "a", count: 300), String(repeating: "n", count: 3_000))
        ),
        KeyType(name: "Int", type: .int, values: [-2_147_483_648, -1, 0, 7, 2_147_483_647].map { .int($0) }),
        KeyType(
            name: "Float", type: .double, values: [-1e308, -0.5, 0, 0.1, 7].map { .double($0) }, others: [.int(7)]),
        KeyType(name: "Boolean", type: .bool, values: [.bool(false), .bool(true)]),
        KeyType(
            name: "Kind", type: .enumeration("Kind"), values: texts("draft", "done"), others: texts("", "dr", "other")),
        KeyType(
            name: "AWSDate", type: .date, values: texts("2024-02-29", "2026-01-31", "2026-02-28", "2026-11-01"),
            others: texts(
                "x", "2026-02-3", "2026-13", "2026-2", "0", "9", "2026-02-28Z", "2026-02-28+02:00", "2026-02-28T")),
        KeyType(
            name: "AWSTime", type: .time,
            values: texts("00:00:00.000Z", "09:59:59.999Z", "10:30:00.250Z", "23:59:59.999Z"),
            others: texts("3", "x", "10:6", "10:30", "11:30:00.250+01:00")),
        KeyType(
            name: "AWSDateTime", type: .dateTime,
            values: texts("2024-02-29T00:00:00.000Z", "2026-02-28T10:30:00.250Z", "2026-02-28T10:30:00.500Z"),
            others: texts("2026-02-28T11:30:00.250+01:00", "T", "2026-02-28T1x", "2026-02-28T10:30", "2026-02-30")),
        KeyType(name: "AWSTimestamp", type: .timestamp, values: [-1, 0, 1_700_000_000_000].map { .int($0) }),
        KeyType(name: "AWSEmail", type: .string, values: texts("a@b.c", "z@b.c"), others: texts("a@")),
        KeyType(name: "AWSJSON", type: .string, values: texts("1", "{}", "[1]"), others: texts("{")),
        KeyType(name: "AWSURL", type: .string, values: texts("https://a.b", "mailto:a@b.c"), others: texts("https:")),
        KeyType(name: "AWSPhone", type: .string, values: texts("+12025550123", "+442071838750"), others: texts("+1")),
        KeyType(name: "AWSIPAddress", type: .string, values: texts("10.0.0.1", "::1"), others: texts("10.")),
    ]

    private static var sdl: String {
        types.map { type in
            let name = "Of\(type.name)"
            return """
                type \(name) @model {
                  id: ID!
                  part: ID! @index(name: "single\(name)", queryField: "single\(name)", sortKeyFields: ["first"])
                    @index(name: "double\(name)", queryField: "double\(name)", sortKeyFields: ["first", "second"])
                  first: \(type.name)! @index(name: "own\(name)", queryField: "own\(name)", sortKeyFields: ["second"])
                  second: \(type.name)!
                }
                type Key\(name) @model {
                  part: ID! @primaryKey(sortKeyFields: ["first", "second"]) first: \(type.name)! second: \(type.name)!
                }

                """
        }.joined() + "enum Kind { draft done }"
    }

    private typealias Row = (first: InputValue, second: InputValue)

    /// A random condition on one field, or on two in one object, and whether a row with these values fulfils it.
    private static func condition(
        _ type: KeyType, isDouble: Bool, _ random: inout SeededGenerator
    ) -> (input: InputValue, holds: (Row) -> Bool) {
        /// The values of one or two fields. Only the last field of a composite key accepts the beginning of a text.
        func operand(_ random: inout SeededGenerator) -> [InputValue] {
            guard isDouble else { return [random.pick(type.operands)] }
            let first = random.pick(type.values)
            return random.once(in: 3) ? [first] : [first, random.pick(type.isEnum ? type.values : type.operands)]
        }
        func input(_ operand: [InputValue]) -> InputValue {
            guard isDouble else { return operand[0] }
            return .object(InputObject(zip(["first", "second"], operand).map { .init(name: $0, value: $1) }))
        }
        func order(_ row: Row, _ operand: [InputValue]) -> Int {
            zip([row.first, row.second], operand).lazy.map { Self.order($0, $1, type) }.first { $0 != 0 } ?? 0
        }
        let low = operand(&random)
        var names = ["eq", "lt", "le", "gt", "ge", "between"]
        // Only texts begin with texts.
        if type.isText { names += ["beginsWith", "beginsWith"] }
        let name = random.pick(names)
        func made(_ value: InputValue, _ holds: @escaping (Row) -> Bool) -> (InputValue, (Row) -> Bool) {
            (.object([name: value]), holds)
        }
        switch name {
        case "eq": return made(input(low)) { order($0, low) == 0 }
        case "lt": return made(input(low)) { order($0, low) < 0 }
        case "le": return made(input(low)) { order($0, low) <= 0 }
        case "gt": return made(input(low)) { order($0, low) > 0 }
        case "ge": return made(input(low)) { order($0, low) >= 0 }
        case "between":
            let high = operand(&random)
            return made(.list([input(low), input(high)])) { order($0, low) >= 0 && order($0, high) <= 0 }
        default:
            return made(input(low)) { row in
                let values = [row.first, row.second]
                guard let last = low.indices.last else { return false }
                return low[..<last].indices.allSatisfy { Self.order(values[$0], low[$0], type) == 0 }
                    && Self.begins(values[last], low[last], type)
            }
        }
    }

    /// Whether the text of a value begins with the text of an operand. An operand with an offset names one instant.
    private static func begins(_ value: InputValue, _ operand: InputValue, _ type: KeyType) -> Bool {
        guard case .string(let text) = value, case .string(let beginning) = operand else { return false }
        if beginning.contains("Z") || beginning.contains("+"), !type.type.isText {
            return order(value, operand, type) == 0
        }
        return text.utf8.starts(with: beginning.utf8)
    }

    /// Compares a stored value with the value of a condition. Dates and times are compared by instant if both are complete.
    private static func order(_ value: InputValue, _ operand: InputValue, _ type: KeyType) -> Int {
        func sign<Value: Comparable>(_ left: Value, _ right: Value) -> Int { left == right ? 0 : left < right ? -1 : 1 }
        switch (value, operand) {
        case (.int(let left), .int(let right)): return sign(left, right)
        case (.double(let left), .int(let right)): return sign(left, Double(right))
        case (.double(let left), .double(let right)): return sign(left, right)
        case (.bool(let left), .bool(let right)): return sign(left ? 1 : 0, right ? 1 : 0)
        case (.string(let left), .string(let right)):
            if let left = instant(left, type.type), let right = instant(right, type.type) { return sign(left, right) }
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        default: preconditionFailure("the values of a type can be compared")
        }
    }

    private static func instant(_ text: String, _ type: FieldType) -> Temporal.Instant? {
        switch type {
        case .date: (try? Temporal.Date(text))?.instant
        case .time: (try? Temporal.Time(text))?.instant
        case .dateTime: (try? Temporal.DateTime(text))?.instant
        default: nil
        }
    }

    /// Creates a record of both models for each pair of values.
    private static func create(_ type: KeyType, _ served: ServedSchema) async throws -> [Row] {
        var rows: [Row] = []
        for first in type.values {
            for second in type.values {
                let input: InputObject = ["part": .string("p"), "first": first, "second": second]
                for name in ["Of\(type.name)", "KeyOf\(type.name)"] {
                    _ = try await served.data(
                        "mutation ($input: Create\(name)Input!) { create\(name)(input: $input) { part } }",
                        ["input": .object(input)])
                }
                rows.append((first, second))
            }
        }
        return rows
    }

    @Test(
        "random conditions on keys of every scalar type select the records that a plain implementation selects",
        arguments: Adapter.all)
    func conditions(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        var random = SeededGenerator(40)
        for type in Self.types {
            let rows = try await Self.create(type, served)
            let name = "Of\(type.name)"
            let list = try #require(
                served.service.api.queries.values.first { field in
                    if case .list = field.kind { field.model == "KeyOf\(type.name)" } else { false }
                }?.name)
            var selected = 0
            for _ in 0..<120 {
                let isDouble = random.once(in: 2)
                let (input, holds) = Self.condition(type, isDouble: isDouble, &random)
                let scalar = TypeNames.keyCondition(of: type.name)
                var (field, argument, condition) = ("single\(name)", "first", scalar)
                var (partition, partitionType) = (InputValue.string("p"), "ID!")
                var expected = rows.filter(holds)
                switch (isDouble, random.below(2)) {
                case (true, 0):
                    (field, argument) = ("double\(name)", "firstSecond")
                    condition = TypeNames(model: name).compositeKeyCondition(index: "double\(name)")
                case (true, _):
                    (field, argument, partitionType) = (list, "firstSecond", "ID")
                    condition = TypeNames(model: "Key\(name)").compositeKeyCondition(index: nil)
                case (false, 0): break
                case (false, _):
                    // The rows have the second field in the place of the first.
                    let own = random.pick(type.values)
                    (field, argument, partition, partitionType) = ("own\(name)", "second", own, "\(type.name)!")
                    expected = rows.filter { $0.first == own && holds(($0.second, $0.first)) }
                }
                let key = field.hasPrefix("own") ? "first" : "part"
                let query = """
                    query ($p: \(partitionType), $c: \(condition)) {
                      q: \(field)(\(key): $p, \(argument): $c, limit: 1000) { items { first second } }
                    }
                    """
                let response = try await served.service.respond(
                    to: ServiceRequest(query, variables: ["p": partition, "c": input]), from: .apiKey)
                #expect(response.errors.isEmpty, "\(adapter) \(type.name) \(field) \(input): \(response.errors)")
                let items = response.data["q"]?["items"]?.elements ?? []
                let found = Set(items.map { [$0["first"], $0["second"]] })
                let wanted = Set(expected.map { [$0.first, $0.second].map { Optional(Self.response($0)) } })
                #expect(found == wanted && items.count == found.count, "\(adapter) \(type.name) \(field) \(input)")
                selected += found.count
            }
            #expect(selected > 100, "\(type.name)")
        }
    }

    private static func response(_ value: InputValue) -> ResponseValue {
        switch value {
        case .bool(let truth): .bool(truth)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .null, .list, .object: .null
        }
    }
}
