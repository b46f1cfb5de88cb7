import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore

@Suite("Rows come back byte for byte")
struct RoundTripTests {
    @Test(
        "A row with fields of every type is read as it was put, with slots that are not in declaration order",
        arguments: 0..<40 as Range<UInt64>
    )
    func everyType(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model("Everything")
        #expect(!model.row.isSequential)
        let row = try EncodedRow(
            Record(model: model.name, values: try random.values(of: Everything.fields)), layout: model)
        try fixture.put([row], in: model)
        try fixture.read { snapshot throws in
            #expect(try snapshot.row(row.key, in: model) == row.bytes)
            #expect(try snapshot.rows(try StorageQuery(model: model)).map(\.row) == [row.bytes])
            #expect(try snapshot.rows(try StorageQuery(model: model)).map(\.key) == [row.key])
        }
    }

    @Test("A row that is read is wide exactly if its encoder made it wide")
    func wide() throws {
        let fixture = try Fixture(
            ModelSchema(
                name: "Note",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("head", .string),
                    FieldSchema("body", .string),
                    FieldSchema("count", .int),
                ]))
        let model = try fixture.model("Note")
        let lengths = Array(65_490...65_540) + [0, 1, 200_000, 3 << 20]
        let rows = try lengths.map { length in
            try EncodedRow(
                Record(
                    model: "Note",
                    values: [
                        "id": .string("n\(length)"), "body": .string(String(repeating: "x", count: length)), "count": 3,
                    ]), layout: model)
        }
        #expect(Set(rows.map { $0.bytes[0] }) == [0x01, 0x81])
        try fixture.put(rows, in: model)
        try fixture.read { snapshot throws in
            for row in rows { #expect(try snapshot.row(row.key, in: model) == row.bytes) }
        }
    }

    @Test("A put replaces the whole row, whether or not the caller says that the row exists")
    func replace() throws {
        var random = SeededGenerator(3)
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model("Everything")
        for round in 0..<60 {
            var values = try random.values(of: Everything.fields)
            values["id"] = "same"
            let row = try EncodedRow(Record(model: model.name, values: values), layout: model)
            if round % 7 == 6 { try fixture.write { try $0.delete(row.key, in: model) } }
            try fixture.put([row], in: model, existed: round % 2 == 0)
            try fixture.read { snapshot throws in #expect(try snapshot.row(row.key, in: model) == row.bytes) }
        }
    }

    @Test("An update that changes no indexed field leaves the indexes correct")
    func unindexed() throws {
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model("Everything")
        var values: [String: FieldValue] = ["id": "a", "int": 5, "ints": .list([1]), "text": "t"]
        try fixture.put(values, in: "Everything")
        values["ints"] = .list([2, nil])
        let ints = try #require(model.row.field(named: "ints")).slot
        var changed = [UInt8](repeating: 0, count: 4)
        changed[ints >> 3] |= 1 << UInt8(ints & 7)
        let row = try EncodedRow(Record(model: model.name, values: values), layout: model)
        try fixture.put([row], in: model, existed: true, changed: changed)
        try fixture.read { snapshot throws in
            #expect(try snapshot.row(row.key, in: model) == row.bytes)
            #expect(try snapshot.texts("id", of: model, where: .field("int", .equal(5))) == ["a"])
        }
    }

    @Test("A deleted row is gone, from its indexes too; deleting it again does nothing")
    func delete() throws {
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model("Everything")
        try fixture.put(["id": "a", "int": 5], in: "Everything")
        let key = try fixture.read { try $0.rows(try StorageQuery(model: model))[0].key }
        for _ in 0..<2 {
            try fixture.write { try $0.delete(key, in: model) }
            try fixture.read { snapshot throws in
                #expect(try snapshot.row(key, in: model) == nil)
                #expect(try snapshot.count(try StorageQuery(model: model, predicate: .field("int", .equal(5)))) == 0)
            }
        }
    }

    @Test("A key that a reader gave out may be passed to its next call, which leaves the earlier row as it is")
    func reuse() throws {
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model("Everything")
        for id in ["a", "b"] { try fixture.put(["id": .string(id)], in: "Everything") }
        try fixture.read { snapshot throws in
            var seen: [[UInt8]] = []
            try snapshot.fetch(try StorageQuery(model: model)) { outer in
                let before = Array(outer.row.bytes)
                try snapshot.fetch(try StorageQuery(model: model)) { inner in
                    let found = try snapshot.get(inner.key, in: model)
                    #expect(found.map { Array($0.row.bytes) } == Array(inner.row.bytes))
                    if let key = found?.key { #expect(try snapshot.get(key, in: model) != nil) }
                    return true
                }
                #expect(Array(outer.row.bytes) == before)
                seen.append(before)
                return true
            }
            #expect(seen.count == 2)
        }
    }
}
