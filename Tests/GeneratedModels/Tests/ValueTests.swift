import Foundation
import ReferenceModels
import Testing
import Tidelog

@Suite("Values of generated models")
struct ValueTests {
    @Test("an enum case that this build does not know keeps its text")
    func unknownCases() {
        let style = Style(rawValue: "FROM_THE_FUTURE")
        #expect(style == .unknown("FROM_THE_FUTURE"))
        #expect(style.rawValue == "FROM_THE_FUTURE")
        #expect(Style(rawValue: "SHOUTED_WITH_WORDS") == .shoutedWithWords)
        #expect(Style.allCases.map(\.rawValue) == Schema.enums.enums[0].cases)
        for word in Words.allCases { #expect(Words(rawValue: word.rawValue) == word) }
        #expect(Twins.allCases.map(\.rawValue) == ["open", "OPEN", "Open", "closed"])
        #expect(Set(Twins.allCases).count == 4)
    }

    @Test("defaults of the schema are defaults of the initializer")
    func defaults() {
        let value = Defaults()
        #expect(value.text == "a \"quoted\" text \\ with\ttabs and ünïcode 🌊")
        #expect(value.number == .min && value.large == .max)
        #expect(value.ratio == 1e-7 && value.whole == 3 && value.negative == -2.5)
        #expect(value.flag && value.other == false)
        #expect(value.moment.text == "2026-11-21T10:30:00.250+02:00")
        #expect(value.stamp.seconds == 1_700_000_000)
        #expect(value.noMood == Mood.none && value.someMood == Mood.some && value.mood == .calm)
        for field in Defaults.schema.fields where field.type == .dateTime && field.defaultValue != nil {
            #expect(field.defaultValue == .dateTime(value.moment))
        }
    }

    @Test("new ids sort in the order in which the records were made")
    func identifiers() {
        let ids = (0..<100).map { Summary(text: "\($0)").id }
        #expect(ids == ids.sorted() && Set(ids).count == 100)
    }

    @Test("a value of a type that contains itself keeps all of its levels, in a store and as JSON")
    func recursion() async throws {
        var leaf = Leaf(label: "0")
        for depth in 1...8 { leaf = Leaf(label: "\(depth)", next: leaf, children: [Leaf(label: "child")]) }
        let chain = Chain(link: Link(chain: Chain(weight: 1), chains: [nil, Chain(weight: 2)], leaf: leaf), weight: 3)
        let forest = Forest(leaf: leaf, chain: chain, leaves: [leaf, nil])
        let store = try await DataStore.inMemory(schema: .trees)
        try await store.save(forest)
        #expect(try await store.query(Forest.self, id: forest.id) == forest)
        #expect(try JSONDecoder().decode(Forest.self, from: JSONEncoder().encode(forest)) == forest)
        #expect(Leaf(fieldValue: leaf.fieldValue) == leaf)
        #expect(Chain(fieldValue: chain.fieldValue) == chain)
        #expect(try await store.query(Forest.self, where: Forest.keys.leaf == leaf).count == 1)
        #expect(try await store.count(Forest.where(Forest.keys.leaf.label == "8")) == 1)
        #expect(try await store.count(Forest.where(Forest.keys.leaf.next.next.label == "6")) == 1)
        #expect(try await store.count(Forest.where(Forest.keys.leaf.next.label == "8")) == 0)
        try await store.close()
    }

    @Test("embedded values become field values and back without a change, also with missing elements")
    func embedded() throws {
        let here = Coordinate(latitude: 1, longitude: -2)
        let stretch = Stretch(
            name: "bay", from: here, surfaces: [.rock, .unknown("MUD")], maybeSurfaces: [nil, .sand], points: [here],
            maybePoints: [here, nil], grid: [[here], nil], deep: [[[1, nil], []]], measured: [nil],
            stamps: [Temporal.Timestamp(seconds: 5)], fields: "f", value: 3, row: true)
        #expect(Stretch(fieldValue: stretch.fieldValue) == stretch)
        #expect(Stretch(fieldValue: .bool(true)) == nil)
        #expect(Stretch(fieldValue: .embedded(["name": .string("bay")])) == nil)
    }

    @Test("keys, identifiers and index queries find records")
    func keys() async throws {
        let store = try await DataStore.inMemory(schema: .keys)
        let day = try Temporal.Date("2026-11-21")
        let value = ManyKeyed(tenant: "t", year: 2026, day: day, flag: true, kind: .large, note: "x")
        try await store.save(value)
        let id = ModelID<ManyKeyed>.identifier(tenant: "t", year: 2026, day: day, flag: true, kind: .large)
        #expect(value.id == id)
        #expect(try await store.query(ManyKeyed.self, id: id) == value)
        try await store.close()

        let tickets = try await DataStore.inMemory(schema: .indexes)
        for hour in 0..<6 {
            try await tickets.save(
                Ticket(
                    owner: "ann", priority: hour % 2 == 0 ? .low : .high, due: try Temporal.Date("2026-11-2\(hour)"),
                    title: "\(hour)"))
        }
        let query = Ticket.byOwner(
            owner: "ann", priority: .equal(.high), due: .between(day, try Temporal.Date("2026-11-24")))
        #expect(try await tickets.fetch(query).map(\.title) == ["1", "3"])
        #expect(try await tickets.fetch(Ticket.byPriority(priority: .low)).count == 3)
        try await tickets.close()
    }

    @Test("fields that only a server sets are read, and a save keeps them")
    func readOnly() async throws {
        let store = try await DataStore.inMemory(schema: .stamps)
        let record = Record(
            model: "Renamed",
            values: ["id": "1", "bornAt": .dateTime(try Temporal.DateTime("2026-11-21T10:00:00Z"))])
        try await store.write { try $0.save(record) }
        let value = try #require(try await store.query(Renamed.self, id: "1"))
        #expect(value.bornAt?.text == "2026-11-21T10:00:00Z" && value.changedAt == nil)
        try await store.save(value)
        #expect(try await store.query(Renamed.self, id: "1") == value)
        try await store.close()
    }
}
