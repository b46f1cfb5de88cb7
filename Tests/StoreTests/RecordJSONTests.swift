import Foundation
import TestStores
import Testing
import Tidelog

/// These tests import only the module that apps import.
@Suite("Records as JSON")
struct RecordJSONTests {
    /// A record with a value in a field of every type, as JSON in the order of the schema.
    private static let text = [
        #"{"id":"1","text":"a \"quoted\" é\n","mail":"a@b.example","link":"https://b.example/?c=d","#,
        #""call":"+49 30 1234567","address":"10.0.0.1","data":"{\"a\":[1,null]}","whole":-9223372036854775808,"#,
        #""stamp":1700000000,"number":0.1,"flag":false,"day":"2026-02-28+01:00","clock":"23:59:59.5Z","#,
        #""moment":"2026-11-21T10:30:00.120+01:00","level":"high","#,
        #""place":{"city":"b","spot":{"lat":-1.5},"tags":["x"]},"texts":["c",null,""],"wholes":[1],"#,
        #""numbers":[1.5,1e+300],"flags":[true,null],"days":["2026-01-01"],"#,
        #""moments":["2026-01-01T00:00Z"],"levels":["low"],"places":[{"city":"c"},null],"#,
        #""links":["https://b.example"],"createdAt":"2026-01-01T00:00:00.000Z"}"#,
    ].joined()

    private static func schema() throws -> Schema {
        try Schema(
            sdl: """
                enum Level { low high }
                type Spot { lat: Float }
                type Place { city: String! spot: Spot tags: [String] }
                type Thing @model {
                  id: ID! text: String mail: AWSEmail link: AWSURL call: AWSPhone address: AWSIPAddress data: AWSJSON
                  whole: Int stamp: AWSTimestamp number: Float flag: Boolean day: AWSDate clock: AWSTime
                  moment: AWSDateTime level: Level place: Place texts: [String] wholes: [Int!] numbers: [Float]
                  flags: [Boolean] days: [AWSDate] moments: [AWSDateTime] levels: [Level] places: [Place]
                  links: [AWSURL] createdAt: AWSDateTime
                }
                type Note @model { id: ID! title: String! rating: Int }
                """)
    }

    @Test(
        "a record of every type is the same text after it was read, saved, queried and written",
        arguments: Adapter.all)
    func everyType(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: Self.schema(), adapter: adapter.factory)
        let json = try RecordJSON(store.schema.declared)
        let record = try json.record("Thing", from: Self.text.utf8)
        #expect(record.model == "Thing" && record["whole"] == .int(.min) && record["level"] == "high")
        #expect(record.values.count == 26)
        #expect(try json.text(of: record) == Self.text)
        try await store.write { try $0.save(record) }
        let stored = try #require(try await store.record("Thing", id: "1"))
        #expect(stored == record)
        #expect(try json.text(of: stored) == Self.text)
        // A text for people is the same JSON value, in other bytes.
        let pretty = Data(try json.bytes(of: stored, isPretty: true))
        #expect(pretty.count > Self.text.utf8.count)
        #expect(try json.record("Thing", from: pretty) == record)
        try await store.close()
    }

    @Test("a value of a type becomes JSON and a value again")
    func typed() async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: .inMemory())
        let json = try RecordJSON(store.schema.declared)
        let note = Note(id: "1", title: "Tides", rating: 5)
        let text = try json.text(of: Record(note, in: store))
        #expect(text == #"{"id":"1","title":"Tides","rating":5}"#)
        #expect(try Note(json.record("Note", from: text.utf8), in: store) == note)
        try await store.close()
    }

    @Test(
        "a text that is no record of its model is refused with the code, the place and the field",
        arguments: [
            (#"{"id":"1","title":"a""#, .malformed, 1, 22, nil), ("[]", .wrongType, 1, 1, nil),
            (#"{"id":"1","name":"a"}"#, .unknownField, 1, 11, nil),
            (#"{"id":"1","id":"2"}"#, .duplicateField, 1, 11, "Note.id"),
            (#"{"id":"1"}"#, .missingField, 1, 1, "Note.title"),
            ("{\"id\":\"1\",\n\"title\":7}", .wrongType, 2, 9, "Note.title"),
            (#"{"id":"1","title":"a","rating":1e30}"#, .outOfRange, 1, 32, "Note.rating"),
        ] as [(String, RecordJSONError.Code, Int, Int, String?)])
    func refusals(text: String, code: RecordJSONError.Code, line: Int, column: Int, field: String?) throws {
        let json = try RecordJSON(Self.schema())
        let error = #expect(throws: RecordJSONError.self) { try json.record("Note", from: text.utf8) }
        #expect(error?.code == code && error?.line == line && error?.column == column && error?.field == field)
        #expect(error?.model == "Note" && error?.dataStoreError.code == .invalidValue)
        #expect(error?.localizedDescription.hasPrefix("\(line):\(column): ") == true)
    }

    @Test("a record that does not fit its model cannot be written, and an unknown model is named")
    func misfits() throws {
        let json = try RecordJSON(Self.schema())
        let failure = { (body: () throws -> Void) in #expect(throws: DataStoreError.self, performing: body) }
        for values in [["id": "1"], ["id": "1", "title": 1], ["id": "1", "title": "a", "other": "b"]]
            as [[String: FieldValue]]
        {
            let error = failure { _ = try json.text(of: Record(model: "Note", values: values)) }
            #expect(error?.code == .invalidValue && error?.model == "Note")
        }
        for error in [
            failure { _ = try json.text(of: Record(model: "Nota", values: [:])) },
            failure { _ = try json.record("Nota", from: "{}".utf8) },
        ] {
            #expect(error?.code == .unknownModel && error?.model == "Nota")
            #expect(error?.message.hasSuffix("has no model Nota; did you mean \"Note\"?") == true)
        }
        let invalid = failure { _ = try RecordJSON(Schema(models: [ModelSchema(name: "A", fields: [])])) }
        #expect(invalid?.code == .invalidSchema)
    }
}
