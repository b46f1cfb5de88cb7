import SeededNumbers
import TestStores
import Tidelog

/// A model with every kind of field that live queries sort and filter by. Some of the fields may be missing.
struct Item: Model, Equatable {
    var id: String
    var group: String?
    var rank: Int?
    var score: Double
    var isOpen: Bool?

    static let schema = ModelSchema(
        name: "Item",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("group", .string), FieldSchema("rank", .int),
            FieldSchema("score", .double, isRequired: true), FieldSchema("isOpen", .bool),
        ],
        indexes: [
            IndexSchema(name: "byRank", fields: ["rank"]), IndexSchema(name: "byGroup", fields: ["group", "score"]),
        ])

    init(id: String, group: String? = nil, rank: Int? = nil, score: Double = 0, isOpen: Bool? = nil) {
        self.id = id
        self.group = group
        self.rank = rank
        self.score = score
        self.isOpen = isOpen
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let group { row.encode(group) } else { row.encodeMissing() }
        if let rank { row.encode(rank) } else { row.encodeMissing() }
        row.encode(score)
        if let isOpen { row.encode(isOpen) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        group = try row.decodeIfPresent(String.self)
        rank = try row.decodeIfPresent(Int.self)
        score = try row.decode(Double.self)
        isOpen = try row.decodeIfPresent(Bool.self)
    }
}

let itemSchema = Schema(models: [Item.schema, Note.schema])

/// A query and its meaning in plain Swift. The meaning is independent of the engine.
struct PlainQuery: Sendable {
    var predicate = ModelPredicate<Item>.all
    var holds: @Sendable (Item) -> Bool = { _ in true }
    var sort = Sort.byKey
    var precedes: @Sendable (Item, Item) -> Bool = PlainQuery.byID
    var page = Page.all
    /// The record after which the page begins.
    var anchor: Item?

    static let byID: @Sendable (Item, Item) -> Bool = { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }

    func result(of items: some Sequence<Item>) -> [Item] {
        let all = items.filter { item in holds(item) && anchor.map { precedes($0, item) } ?? true }.sorted(by: precedes)
        return Array(all.dropFirst(page.offset).prefix(page.limit ?? all.count))
    }

    static func random(_ generator: inout SeededGenerator) -> PlainQuery {
        var query = PlainQuery()
        let bound = generator.below(10)
        switch generator.below(5) {
        case 0: break
        case 1:
            query.predicate = ModelPredicate(.field("rank", .greater(.int(Int64(bound)))))
            query.holds = { $0.rank.map { $0 > bound } ?? false }
        case 2:
            query.predicate = ModelPredicate(.not(.field("rank", .less(.int(Int64(bound))))))
            query.holds = { !($0.rank.map { $0 < bound } ?? false) }
        case 3:
            query.predicate = ModelPredicate(.or([.field("group", .equal(nil)), .field("group", .beginsWith("a"))]))
            query.holds = { $0.group == nil || $0.group?.utf8.first == 97 }
        default:
            query.predicate = ModelPredicate(
                .field("isOpen", .equal(.bool(true))) && .field("score", .lessOrEqual(.double(0.5))))
            query.holds = { $0.isOpen == true && $0.score <= 0.5 }
        }
        query.randomizeSort(&generator)
        switch generator.below(5) {
        case 0: break
        case 1: query.page = .first(1 + generator.below(5))
        case 3:
            let anchor = Item.random(&generator, idCount: 40)
            query.anchor = anchor
            query.page = .after(anchor, limit: generator.below(2) == 0 ? nil : generator.below(6))
        case 2: query.page = Page(offset: generator.below(8), limit: generator.below(6))
        default: query.page = Page(offset: generator.below(8))
        }
        return query
    }

    private mutating func randomizeSort(_ generator: inout SeededGenerator) {
        var orders: [@Sendable (Item, Item) -> Int] = []
        var keys: [Sort.Key] = []
        for _ in 0..<generator.below(3) {
            let isDescending = generator.below(2) == 0
            let sign = isDescending ? -1 : 1
            switch generator.below(4) {
            case 0:
                keys.append(.init("group", isDescending: isDescending))
                orders.append { sign * Self.compare($0.group.map { Array($0.utf8) }, $1.group.map { Array($0.utf8) }) }
            case 1:
                keys.append(.init("rank", isDescending: isDescending))
                orders.append { sign * Self.compare($0.rank.map { [$0] }, $1.rank.map { [$0] }) }
            case 2:
                keys.append(.init("score", isDescending: isDescending))
                orders.append { sign * Self.compare([$0.score], [$1.score]) }
            default:
                keys.append(.init("isOpen", isDescending: isDescending))
                orders.append { sign * Self.compare($0.isOpen.map { [$0 ? 1 : 0] }, $1.isOpen.map { [$0 ? 1 : 0] }) }
            }
        }
        sort = Sort(keys)
        precedes = { [orders] left, right in
            for order in orders {
                let result = order(left, right)
                if result != 0 { return result < 0 }
            }
            return Self.byID(left, right)
        }
    }

    /// Compares two values. Returns −1, 0 or 1, and a missing value comes first.
    private static func compare<Element: Comparable>(_ left: [Element]?, _ right: [Element]?) -> Int {
        switch (left, right) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let left?, let right?):
            left == right ? 0 : (left.lexicographicallyPrecedes(right) ? -1 : 1)
        }
    }
}

extension Item {
    static func random(_ generator: inout SeededGenerator, idCount: Int) -> Item {
        let groups: [String?] = [nil, "", "a", "a\0", "a\0b", "ab", "b", "é", "e\u{301}"]
        let rank = generator.below(11)
        return Item(
            id: id(generator.below(idCount)), group: groups[generator.below(groups.count)],
            rank: rank == 10 ? nil : rank, score: [-1.5, 0, 0.25, 0.5, 3][generator.below(5)],
            isOpen: [nil, false, true][generator.below(3)])
    }

    static func id(_ number: Int) -> String { number < 10 ? "k0\(number)" : "k\(number)" }
}
