import Foundation
import TestStores
import Testing
import Tidelog

private enum Mode: String, Codable { case rail, sea }
private struct Stop: Codable, Equatable {
    var place: String
    var waits: [Double]
    var note: String?
}

private let tripFields = [
    FieldSchema("id", .id, isRequired: true), FieldSchema("mode", .enumeration("Mode"), isRequired: true),
    FieldSchema("seats", .int), FieldSchema("price", .double), FieldSchema("isOpen", .bool, isRequired: true),
    FieldSchema("begins", .dateTime), FieldSchema("day", .date), FieldSchema("time", .time),
    FieldSchema("seen", .timestamp), FieldSchema("token", .string),
    FieldSchema("stops", .list(.embedded("Stop"), elementIsRequired: true), isRequired: true),
    FieldSchema("levels", .list(.int, elementIsRequired: false)), FieldSchema("last", .embedded("Stop")),
]

private func tripSchema(_ name: String) -> ModelSchema { ModelSchema(name: name, fields: tripFields) }

private let schema = Schema(
    models: [tripSchema("Trip"), tripSchema("HandwrittenTrip")],
    embeddedTypes: [
        EmbeddedSchema(
            name: "Stop",
            fields: [
                FieldSchema("place", .string, isRequired: true),
                FieldSchema("waits", .list(.double, elementIsRequired: true), isRequired: true),
                FieldSchema("note", .string),
            ])
    ],
    enums: [EnumSchema(name: "Mode", cases: ["rail", "sea", "air"])])

/// A model whose fields are written and read through `Codable`.
private struct Trip: Model, Codable, Equatable {
    static let schema = tripSchema("Trip")

    var id: String
    var mode = Mode.sea
    var seats: Int?
    var price: Float?
    var isOpen = false
    var begins: Date?
    var day: Temporal.Date?
    var time: Temporal.Time?
    var seen: Temporal.Timestamp?
    var token: UUID?
    var stops: [Stop] = []
    var levels: [UInt16?]?
    var last: Stop?

    static func full(_ id: String) throws -> Trip {
        Trip(
            id: id, mode: .rail, seats: -3, price: 2.5, isOpen: true, begins: Date(timeIntervalSince1970: 1.25),
            day: try Temporal.Date("2026-03-01"), time: try Temporal.Time("10:30:00"),
            seen: Temporal.Timestamp(seconds: 77), token: UUID(),
            stops: [Stop(place: "Porto", waits: [1, 2.5], note: nil), Stop(place: "", waits: [], note: "x")],
            levels: [1, nil, 65_535], last: Stop(place: "Faro", waits: [0], note: "end"))
    }
}

/// The same fields, written by hand.
private struct HandwrittenTrip: Model {
    static let schema = tripSchema("HandwrittenTrip")
    let trip: Trip

    init(_ trip: Trip) { self.trip = trip }

    func encode(into row: inout RowEncoder) {
        row.encode(trip.id)
        row.encode(trip.mode)
        if let seats = trip.seats { row.encode(seats) } else { row.encodeMissing() }
        if let price = trip.price { row.encode(Double(price)) } else { row.encodeMissing() }
        row.encode(trip.isOpen)
        if let begins = trip.begins { row.encode(begins) } else { row.encodeMissing() }
        if let day = trip.day { row.encode(day) } else { row.encodeMissing() }
        if let time = trip.time { row.encode(time) } else { row.encodeMissing() }
        if let seen = trip.seen { row.encode(seen) } else { row.encodeMissing() }
        if let token = trip.token { row.encode(token) } else { row.encodeMissing() }
        row.encodeList { list in for stop in trip.stops { list.appendEmbedded { Self.encode(stop, into: &$0) } } }
        if let levels = trip.levels {
            row.encodeList { list in
                for level in levels { if let level { list.append(Int(level)) } else { list.appendMissing() } }
            }
        } else {
            row.encodeMissing()
        }
        if let last = trip.last { row.encodeEmbedded { Self.encode(last, into: &$0) } } else { row.encodeMissing() }
    }

    private static func encode(_ stop: Stop, into row: inout RowEncoder) {
        row.encode(stop.place)
        row.encodeList { list in for wait in stop.waits { list.append(wait) } }
        if let note = stop.note { row.encode(note) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) { throw RowDamage("this test only writes it") }
}

/// A model whose coding keys and values can differ from its fields.
private struct Odd: Model, Encodable {
    static let schema = ModelSchema(
        name: "Odd", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("count", .int)])
    var key = "count"
    var value: any Encodable & Sendable = 1

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if key != "id" { try container.encode("1", forKey: Key(stringValue: "id")) }
        try container.encode(value, forKey: Key(stringValue: key))
    }

    init(_ key: String, _ value: any Encodable & Sendable) { (self.key, self.value) = (key, value) }
    init(from row: inout RowDecoder) throws(RowDamage) { throw RowDamage("this test only writes it") }
}

private class Base: Codable, @unchecked Sendable {  // Sound: nothing changes after the initializer.
    let id: String
    init(id: String) { self.id = id }
}

private final class Derived: Base, Model, @unchecked Sendable {  // Sound: nothing changes after the initializer.
    static let schema = ModelSchema(
        name: "Derived",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("size", .int, isRequired: true)]
    )
    let size: Int

    init(id: String, size: Int) {
        self.size = size
        super.init(id: id)
    }

    private enum CodingKeys: CodingKey { case size }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Int.self, forKey: .size)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try super.encode(to: container.superEncoder())
    }
}

@Suite("Models through Codable")
struct CodableModelTests {
    private func store(_ schema: Schema = schema) async throws -> DataStore {
        try await DataStore.inMemory(schema: schema)
    }

    @Test("a record is read back equal, with every type of field and without optional values")
    func roundTrip() async throws {
        let store = try await store()
        for trip in [try Trip.full("full"), Trip(id: "empty")] {
            try await store.save(trip)
            #expect(try await store.query(Trip.self, id: trip.id) == trip)
        }
    }

    @Test("the stored record is the same as through methods that are written by hand")
    func sameRecord() async throws {
        let store = try await store()
        for trip in [try Trip.full("full"), Trip(id: "empty")] {
            #expect(try Record(trip, in: store).values == Record(HandwrittenTrip(trip), in: store).values)
        }
    }

    @Test("a value that does not fit its field is refused, and the message names the field and the reason")
    func refusals() async throws {
        let store = try await store(Schema(models: [Odd.schema]))
        let cases: [(Odd, String)] = [
            (Odd("total", 1), "the model has no field total"), (Odd("count", UInt64.max), "more than 64 bits"),
            (Odd("count", "many"), "Odd.count: the value does not fit"),
            (Odd("count", [1, 2]), "Odd.count: the value does not fit"), (Odd("id", "1"), ""),
            (Odd("count", Int64.min), ""), (Odd("count", Int?.none), ""),
        ]
        for (value, reason) in cases {
            do {
                try await store.save(value)
                #expect(reason.isEmpty, "\(value) was accepted")
            } catch let error as DataStoreError {
                #expect(error.code == .invalidValue)
                #expect(!reason.isEmpty && error.message.contains(reason), "\(error)")
            }
        }
    }

    @Test("a stored value that the type cannot have is damage, and the message names the field")
    func unknownCase() async throws {
        let store = try await store()
        var record = try Record(Trip(id: "1"), in: store)
        record["mode"] = "air"
        try await store.save(record)
        do {
            _ = try await store.query(Trip.self, id: "1")
            Issue.record("the case is unknown to the type")
        } catch {
            #expect("\(error)".contains("mode"), "\(error)")
        }
    }

    @Test("the fields of a superclass and of its subclass are fields of one record")
    func inheritance() async throws {
        let store = try await store(Schema(models: [Derived.schema]))
        try await store.save(Derived(id: "d", size: 4))
        let stored = try #require(try await store.query(Derived.self, id: "d"))
        #expect(stored.id == "d" && stored.size == 4)
        #expect(try await store.record("Derived", id: "d")?.values == ["id": "d", "size": 4])
    }
}
