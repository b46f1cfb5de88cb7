import SeededNumbers
import TestStores
import Testing
import Tidelog

@testable import TidelogServer

/// Random histories of an API without versions, compared with a table that is changed by DynamoDB's rules.
@Suite("Histories of an API without versions")
struct HistoryWithoutVersionsTests {
    private static let sdl = """
        type Todo @model { id: ID! content: String rank: Int @index(sortKeyFields: ["content"]) tags: [String] }
        """

    @Test("every answer of a random history is the answer of a table with DynamoDB's rules", arguments: Adapter.all)
    func histories(adapter: Adapter) async throws {
        var (made, refused) = (0, 0)
        for seed in 1...4 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let served = try await ServedSchema(Self.sdl, on: adapter, seed: seed, kind: .timestamps)
            var table = Table()
            for step in 1...250 {
                // The clock stands still, continues, or goes back.
                served.clock.now += Int64(random.pick([0, 0, 1, 1, 2, 1_000, -1]))
                table.now = served.clock.now
                let change = Change(&random, table)
                let expected = table.answer(to: change)
                let answer = try await served.ask(change.document)
                if expected.contains("ConditionalCheckFailed") { refused += 1 } else { made += 1 }
                #expect(Self.short(answer) == expected, "seed \(seed), step \(step): \(change.document)")
                guard step % 5 == 0 else { continue }
                for (document, expected) in table.reads {
                    #expect(try await served.ask(document) == expected, "seed \(seed), step \(step): \(document)")
                }
            }
            try await served.store.close()
        }
        #expect(made > 300, "\(refused) changes were refused")
        #expect(refused > 300, "\(made) changes were made")
    }

    /// The answer, where an error is its type.
    private static func short(_ answer: String) -> String {
        guard let type = answer.firstMatch(of: /"errorType":"([^"]*)"/) else { return answer }
        return "\(answer.prefix { $0 != "[" }) \(type.1)"
    }
}

/// A random mutation with a random condition.
private struct Change {
    enum Kind: String { case create, update, delete }

    let kind: Kind
    let id: String
    /// The sent values as literals of GraphQL and of JSON, which are the same for them.
    var sent: [(name: String, literal: String)] = []
    var condition: (field: String, test: String, literal: String)?

    init(_ random: inout SeededGenerator, _ table: Table) {
        kind = random.pick([.create, .update, .update, .update, .delete])
        id = "\(random.below(4))"
        if kind != .delete {
            if random.once(in: 2) { sent.append(("content", random.pick(["\"a\"", "\"b\"", "null"]))) }
            if random.once(in: 2) { sent.append(("rank", random.pick(["0", "1", "null"]))) }
            if random.once(in: 3) { sent.append(("tags", random.pick(["[\"x\"]", "[]", "[\"x\",\"y\"]", "null"]))) }
        }
        switch random.below(6) {
        // A client knows the time of the last read of this record, or of an earlier one, or of another record.
        case 0: if let time = table.time(of: id) { condition = ("updatedAt", "eq", time) }
        case 1: if let time = table.times.randomElement(using: &random) { condition = ("updatedAt", "eq", time) }
        case 2: if let time = table.times.randomElement(using: &random) { condition = ("createdAt", "ne", time) }
        case 3: condition = ("content", random.pick(["eq", "ne"]), "\"a\"")
        case 4: condition = ("rank", "attributeExists", random.pick(["true", "false"]))
        default: break
        }
    }

    var document: String {
        let values = sent.map { ", \($0.name): \($0.literal)" }.joined()
        let condition = condition.map { ", condition: {\($0.field): {\($0.test): \($0.literal)}}" } ?? ""
        return "mutation { \(kind)Todo(input: {id: \"\(id)\"\(values)}\(condition)) { \(Table.selection) } }"
    }
}

/// A table whose conditional writes follow the rules of DynamoDB, written without the server's code.
private struct Table {
    static let selection = "id content rank tags createdAt updatedAt"
    var now: Int64 = 0
    /// The stored values as JSON, by the id and the name of the field. A missing value has no entry.
    private var items: [String: [String: String]] = [:]
    /// All times that an answer ever had.
    private(set) var times: [String] = []

    /// The time of the last change of a record; `nil` if there is none.
    func time(of id: String) -> String? { items[id]?["updatedAt"] }

    mutating func answer(to change: Change) -> String {
        let field = "\(change.kind)Todo"
        let stored = items[change.id]
        if change.kind == .delete, stored == nil { return #"{"data":{"\#(field)":null}}"# }
        guard (change.kind == .create) == (stored == nil), holds(change.condition, for: stored ?? [:]) else {
            return #"{"data":{"\#(field)":null},"errors": DynamoDB:ConditionalCheckFailedException"#
        }
        var item = stored ?? ["id": "\"\(change.id)\"", "createdAt": time]
        if change.kind == .delete {
            items[change.id] = nil
        } else {
            item["updatedAt"] = time
            for (name, literal) in change.sent { item[name] = literal == "null" ? nil : literal }
            items[change.id] = item
            if !times.contains(time) { times.append(time) }
        }
        return #"{"data":{"\#(field)":\#(json(item))}}"#
    }

    /// The documents of reads, with their answers.
    var reads: [(document: String, answer: String)] {
        var reads: [(String, String)] = []
        for id in 0..<4 {
            let item = items["\(id)"].map(json) ?? "null"
            reads.append(("{ getTodo(id: \"\(id)\") { \(Self.selection) } }", #"{"data":{"getTodo":\#(item)}}"#))
        }
        let all = items.sorted { $0.key < $1.key }.map(\.value)
        reads.append(
            ("{ listTodos { items { \(Self.selection) } nextToken } }", #"{"data":{"listTodos":\#(page(all))}}"#))
        let filtered = all.filter { $0["content"] == "\"a\"" }
        reads.append(
            (
                #"{ listTodos(filter: {content: {eq: "a"}}) { items { \#(Self.selection) } nextToken } }"#,
                #"{"data":{"listTodos":\#(page(filtered))}}"#
            ))
        let ranked = all.filter { $0["rank"] == "1" && $0["content"] == "\"b\"" }
        let query = #"listTodoByRankAndContent(rank: 1, content: {eq: "b"})"#
        reads.append(
            (
                "{ \(query) { items { \(Self.selection) } nextToken } }",
                #"{"data":{"listTodoByRankAndContent":\#(page(ranked))}}"#
            ))
        return reads
    }

    private var time: String {
        // The clock begins at 22:13:20.
        let seconds = now / 1_000 - 1_700_000_000 + 22 * 3_600 + 13 * 60 + 20
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let digits = String(1_000 + now % 1_000).dropFirst()
        return "\"2023-11-14T\(parts.joined(separator: ":")).\(digits)Z\""
    }

    private func holds(_ condition: (field: String, test: String, literal: String)?, for item: [String: String]) -> Bool
    {
        guard let condition else { return true }
        let value = item[condition.field]
        return switch condition.test {
        case "eq": value == condition.literal
        case "ne": value != condition.literal
        default: (value != nil) == (condition.literal == "true")
        }
    }

    private func json(_ item: [String: String]) -> String {
        let names = Self.selection.split(separator: " ")
        return "{" + names.map { "\"\($0)\":\(item[String($0)] ?? "null")" }.joined(separator: ",") + "}"
    }

    private func page(_ items: [[String: String]]) -> String {
        #"{"items":[\#(items.map(json).joined(separator: ","))],"nextToken":null}"#
    }
}
