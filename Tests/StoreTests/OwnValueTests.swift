import Foundation
import SeededNumbers
import TestStores
import Testing
import Tidelog

/// An amount that is stored as a whole number.
private struct Money: FieldRepresentable, Equatable {
    var cents: Int

    init(cents: Int) { self.cents = cents }

    var storedValue: Int { cents }

    /// Returns `nil` for a negative amount, which this type does not allow.
    init?(storedValue: Int) {
        guard storedValue >= 0 else { return nil }
        cents = storedValue
    }
}

private enum Grade: Int, FieldConvertible { case low = 1, high = 2 }
private enum Shade: String, FieldConvertible { case light, dark }
private struct Weight: RawRepresentable, FieldConvertible, Equatable { var rawValue: Double }

/// A handwritten model whose fields have types of Foundation and types of the app.
private struct Parcel: Model, Equatable {
    var id: UUID
    var sent: Date
    var price: Money
    var grade: Grade
    var label: Data?
    var arrived: Date?
    var shade: Shade?
    var weight: Weight?
    var stops: [UUID]
    var grades: [Grade]

    static let keys = Keys()
    struct Keys: Sendable {
        let id = Field<Parcel, UUID>("id")
        let sent = Field<Parcel, Date>("sent")
        let price = Field<Parcel, Money>("price")
        let grade = Field<Parcel, Grade>("grade")
        let label = Field<Parcel, Data>("label")
        let arrived = Field<Parcel, Date>("arrived")
        let weight = Field<Parcel, Weight>("weight")
        let stops = Field<Parcel, [UUID]>("stops")
    }

    static let schema = ModelSchema(
        name: "Parcel",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("sent", .dateTime, isRequired: true),
            FieldSchema("price", .int, isRequired: true), FieldSchema("grade", .int, isRequired: true),
            FieldSchema("label", .string), FieldSchema("arrived", .dateTime), FieldSchema("shade", .string),
            FieldSchema("weight", .double),
            FieldSchema("stops", .list(.string, elementIsRequired: true), isRequired: true),
            FieldSchema("grades", .list(.int, elementIsRequired: true), isRequired: true),
        ], indexes: [IndexSchema(name: "bySent", fields: ["sent"])])

    init(_ number: Int, sent: Date, price: Money = Money(cents: 1), grade: Grade = .low) {
        id = UUID()
        self.sent = sent
        self.price = price
        self.grade = grade
        stops = (0..<number % 3).map { _ in UUID() }
        grades = number % 2 == 0 ? [.low, .high] : []
        if number % 2 == 0 {
            label = Data((0..<number).map { UInt8(truncatingIfNeeded: $0) })
            arrived = sent.addingTimeInterval(0.125)
            shade = .dark
            weight = Weight(rawValue: Double(number) / 3)
        }
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(sent)
        row.encode(price)
        row.encode(grade)
        if let label { row.encode(label) } else { row.encodeMissing() }
        if let arrived { row.encode(arrived) } else { row.encodeMissing() }
        if let shade { row.encode(shade) } else { row.encodeMissing() }
        if let weight { row.encode(weight) } else { row.encodeMissing() }
        row.encodeList { list in for stop in stops { list.append(stop) } }
        row.encodeList { list in for grade in grades { list.append(grade) } }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(UUID.self)
        sent = try row.decode(Date.self)
        price = try row.decode(Money.self)
        grade = try row.decode(Grade.self)
        label = try row.decodeIfPresent(Data.self)
        arrived = try row.decodeIfPresent(Date.self)
        shade = try row.decodeIfPresent(Shade.self)
        weight = try row.decodeIfPresent(Weight.self)
        stops = try row.decodeList { list throws(RowDamage) in
            try list.all { list throws(RowDamage) in try list.next(UUID.self) }
        }
        grades = try row.decodeList { list throws(RowDamage) in
            try list.all { list throws(RowDamage) in try list.next(Grade.self) }
        }
    }
}

@Suite("Fields of the app's own types")
struct OwnValueTests {
    private static let schema = Schema(models: [Parcel.schema])

    @Test(
        "values of the app's own types are read back equal, and compared and sorted by their stored values",
        arguments: Adapter.all)
    func roundTrip(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: Self.schema, adapter: adapter.factory)
        let begin = Date()
        let parcels = (0..<20).map { number in
            Parcel(
                number, sent: begin.addingTimeInterval(Double(number) * 0.001), price: Money(cents: number),
                grade: number < 15 ? .low : .high)
        }
        try await store.save(parcels)
        for parcel in parcels {
            #expect(try await store.query(Parcel.self, id: parcel.id.uuidString) == parcel)
            #expect(try await store.query(Parcel.self, where: Parcel.keys.id == parcel.id) == [parcel])
        }
        let keys = Parcel.keys
        #expect(try await store.query(Parcel.self, sort: .ascending(keys.sent)) == parcels)
        #expect(try await store.query(Parcel.self, where: keys.sent > parcels[16].sent).count == 3)
        #expect(try await store.query(Parcel.self, where: keys.price < Money(cents: 5)).count == 5)
        #expect(try await store.query(Parcel.self, where: keys.grade == .high).count == 5)
        #expect(try await store.query(Parcel.self, where: keys.label == parcels[4].label).map(\.id) == [parcels[4].id])
        #expect(
            try await store.query(Parcel.self, where: keys.weight >= Weight(rawValue: 6)).map(\.id) == [parcels[18].id])
        let stop = parcels[5].stops[0]
        #expect(try await store.query(Parcel.self, where: keys.stops.contains(stop)) == [parcels[5]])
        #expect(try await store.fetch(Parcel.all.max(keys.price)) == Money(cents: 19))
        #expect(try await store.fetch(Parcel.all.min(keys.arrived)) == parcels[0].arrived)
        try await store.close()
    }

    @Test("every date is read back exactly or, near the reference date, to the nanosecond")
    func dates() {
        var generator = SeededGenerator(3)
        for _ in 0..<20_000 {
            let interval = Double.random(in: -2e9...2e9, using: &generator)
            let date = Date(timeIntervalSinceReferenceDate: interval)
            let back = Date(storedValue: date.storedValue)
            if abs(interval) > 1e7 { #expect(back == date, "\(interval)") }
            #expect(abs((back?.timeIntervalSinceReferenceDate ?? 0) - interval) < 1e-9)
        }
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.999_999_999_9)] {
            let back = Date(storedValue: date.storedValue)
            #expect(abs((back ?? .distantPast).timeIntervalSince(date)) < 1e-9)
        }
        #expect(Date(timeIntervalSince1970: 0).storedValue.text == "1970-01-01T00:00:00Z")
    }

    @Test("a stored value that its type does not allow is reported as damage")
    func wrong() async throws {
        let store = try await DataStore.inMemory(schema: Self.schema)
        var record = Record(
            model: "Parcel",
            values: [
                "id": "not a UUID", "sent": "2026-11-22T10:00:00Z", "price": 1, "grade": 1, "stops": .list([]),
                "grades": .list([]),
            ])
        try await store.save(record)
        await #expect(throws: RowDamage.self) { try await store.query(Parcel.self) }
        try await store.delete("Parcel", id: "not a UUID")
        record["id"] = .string(UUID().uuidString)
        for (field, value) in [("price", FieldValue.int(-1)), ("grade", 7), ("label", "%%"), ("stops", .list(["x"]))] {
            var wrong = record
            wrong[field] = value
            try await store.save(wrong)
            await #expect(throws: RowDamage.self, "\(field)") { try await store.query(Parcel.self) }
        }
        try await store.close()
    }
}
