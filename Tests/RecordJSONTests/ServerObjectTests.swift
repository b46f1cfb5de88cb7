import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

@Suite struct ServerObjectTests {
    private let arena = ByteArena()

    /// Reads `json` as an object of a server. Also returns the record in its row.
    private func read(
        _ json: [UInt8], _ reader: inout RowJSONReader
    ) throws -> (object: ServerObject, record: Record?) {
        let start = arena.count
        let object = try json.withUnsafeBytes { try reader.append(serverObject: $0, to: arena) }
        guard case .row(let range) = object.content else {
            #expect(arena.count == start)
            return (object, nil)
        }
        #expect(range == start..<arena.count)
        return (object, try Record(RowView(arena[range]), layout: reader.layout))
    }

    private func read(_ json: String, _ reader: inout RowJSONReader) throws -> (object: ServerObject, record: Record?) {
        try read(Array(json.utf8), &reader)
    }

    /// The error of reading `json`; `nil` if there is none. Afterwards the arena must have the same length as before.
    private func refusal(of json: [UInt8], _ reader: inout RowJSONReader) -> RecordJSONError? {
        let start = arena.count
        defer { #expect(arena.count == start) }
        do {
            try json.withUnsafeBytes { bytes in
                let object = try reader.append(serverObject: bytes, to: arena)
                if case .row = object.content { arena.count = start }
            }
            return nil
        } catch {
            #expect(error is RecordJSONError)
            return error as? RecordJSONError
        }
    }

    @Test func `a random record reads back equal, whatever members the server adds and wherever they stand`() throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        var generator = SeededGenerator(11)
        for _ in 0..<2_000 {
            let values = try generator.values(of: layout.schema.fields, in: Samples.schema)
            let record = Record(model: "Sample", values: values)
            var members = generator.decorated(try JSONValue(parsing: try record.json(layout: layout)))
            for field in layout.schema.fields where values[field.name] == nil && generator.once(in: 2) {
                members.append(JSONValue.Member(field.name, .null))
            }
            let state = ServerState(
                version: UInt64(generator.below(1_000)), lastChangedAt: Int64(generator.below(.max)))
            members.append(JSONValue.Member("_version", .int(Int64(state.version ?? 0))))
            members.append(JSONValue.Member("_lastChangedAt", .int(state.lastChangedAt)))
            if !generator.once(in: 3) {
                members.append(JSONValue.Member("_deleted", generator.pick([.null, .bool(false)])))
            }
            members.shuffle(using: &generator)
            let json = JSONValue.object(members).bytes()
            let (object, read) = try read(json, &reader)
            #expect(read?.values.exact == record.values.exact)
            #expect(object.state == state)
            let identity = try json.withUnsafeBytes { try reader.identify(serverObject: $0) }
            #expect(identity.id == RecordID([values["id"] ?? ""]) && identity.state == state)
        }
    }

    @Test func `a text that is not a case of its enum is kept and counted`() throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let read = try read(#"{"__typename":"Sample","id":"1","color":"pink","_version":1}"#, &reader)
        #expect(read.record?.values == ["id": "1", "color": "pink"])
        #expect(reader.unknownCases == ["Sample.color": 1])
    }

    @Test
    func `null leaves an optional field missing, even if it has a default, and gives a required field its default`()
        throws
    {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.defaults))
        for json in [#"{"id":"1","rank":null,"note":null}"#, #"{"id":"1"}"#] {
            #expect(try read(json, &reader).record?.values == ["id": "1", "rank": 7])
        }
    }

    @Test(arguments: [
        (#""_version":3,"_lastChangedAt":1700000000123"#, ServerState(version: 3, lastChangedAt: 1_700_000_000_123)),
        (#""_deleted":null,"_lastChangedAt":0,"_version":0"#, ServerState(version: 0)),
        (
            #""_deleted":false,"_lastChangedAt":1,"_version":9223372036854775807"#,
            ServerState(version: 9_223_372_036_854_775_807, lastChangedAt: 1)
        ),
        (#""\u005fversion" : 3 ,"_lastChangedAt": 5"#, ServerState(version: 3, lastChangedAt: 5)),
    ]) func `metadata is read as the server state of the record`(_ members: String, _ state: ServerState) throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let read = try read(#"{"id":"1",\#(members),"title":"t"}"#, &reader)
        #expect(read.object.state == state)
        #expect(read.record?.values == ["id": "1", "title": "t"])
    }

    @Test(arguments: [
        #""_version":null,"_lastChangedAt":1"#, #""_version":-1,"_lastChangedAt":1"#,
        #""_version":-0,"_lastChangedAt":1"#,
        #""_version":1.0,"_lastChangedAt":1"#, #""_version":1e3,"_lastChangedAt":1"#,
        #""_version":"1","_lastChangedAt":1"#,
        #""_version":true,"_lastChangedAt":1"#, #""_version":[1],"_lastChangedAt":1"#,
        #""_version":{"value":1},"_lastChangedAt":1"#, #""_version":9223372036854775808,"_lastChangedAt":1"#,
        #""_lastChangedAt":1"#, #""_version":1"#, #""_version":1,"_lastChangedAt":null"#,
        #""_version":1,"_lastChangedAt":"2026-11-24""#, #""_version":1,"_lastChangedAt":1.5"#,
        #""_version":1,"_lastChangedAt":-5"#, #""_version":1,"_lastChangedAt":1,"_deleted":0"#,
        #""_version":1,"_lastChangedAt":1,"_deleted":"true""#, #""_version":1,"_lastChangedAt":1,"_deleted":{}"#,
        #""place":{"city":"c","_version":1,"_lastChangedAt":1}"#, #""post":{"_version":1,"_lastChangedAt":1}"#,
    ]) func `missing or invalid metadata gives no server state, and the record is still read`(_ members: String)
        throws
    {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let json = #"{"id":"1",\#(members),"title":"t"}"#
        let read = try read(json, &reader)
        #expect(read.object.state == nil)
        #expect(read.record?["title"] == "t")
        let identity = try Array(json.utf8).withUnsafeBytes { try reader.identify(serverObject: $0) }
        #expect(identity.id == "1" && identity.state == nil)
    }

    @Test func `a member that is given twice is an error only if it is a field or metadata`() throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        for (members, field) in [
            (#""_version":1,"_version":1"#, "Sample._version"),
            (#""_deleted":null,"\u005fdeleted":true"#, "Sample._deleted"),
            (#""_lastChangedAt":1,"x":0,"_lastChangedAt":null"#, "Sample._lastChangedAt"),
            (#""title":null,"title":"t""#, "Sample.title"),
        ] {
            let error = refusal(of: Array(#"{"id":"1",\#(members)}"#.utf8), &reader)
            #expect(error?.code == .duplicateField && error?.field == field)
        }
        let read = try read(
            #"{"id":"1","__typename":"Sample","__typename":"Sample","place":{"city":"c","x":1,"x":2}}"#, &reader)
        #expect(read.record?.values == ["id": "1", "place": .embedded(["city": "c"])])
    }

    @Test func `a deleted record needs only its key, whatever its other fields contain`() throws {
        let layout = try Samples.layout(Samples.world, 1)
        var reader = RowJSONReader(layout: layout)
        let state = ServerState(version: 2, lastChangedAt: 5, isDeleted: true)
        for members in ["", #""name":null,"population":null,"#, #""name":7,"latitude":{},"#] {
            let json = #"{\#(members)"_version":2,"_deleted":true,"_lastChangedAt":5,"id":"c"}"#
            let (object, record) = try read(json, &reader)
            #expect(object.content == .deletion("c") && object.state == state && record == nil)
            let identity = try Array(json.utf8).withUnsafeBytes { try reader.identify(serverObject: $0) }
            #expect(identity.id == "c" && identity.state == state)
        }
        // An object with `_deleted` is a deletion even if it has no version.
        let (object, _) = try read(#"{"id":"c","_deleted":true}"#, &reader)
        #expect(object.content == .deletion("c") && object.state == nil)
        for json in [#"{"_deleted":true}"#, #"{"id":null,"_deleted":true}"#] {
            #expect(refusal(of: Array(json.utf8), &reader)?.code == .missingField)
        }
        #expect(refusal(of: Array(#"{"id":7,"_deleted":true}"#.utf8), &reader)?.code == .wrongType)
        // A record that is not deleted must have the fields that the schema requires.
        #expect(refusal(of: Array(#"{"id":"c","_version":1}"#.utf8), &reader)?.code == .missingField)
    }

    @Test func `the key of a deleted record has all its parts, and its temporals keep their text`() throws {
        let schema = Schema(models: [
            ModelSchema(
                name: "Shift",
                fields: [
                    FieldSchema("note", .string, isRequired: true), FieldSchema("start", .dateTime, isRequired: true),
                    FieldSchema("room", .id, isRequired: true), FieldSchema("number", .int, isRequired: true),
                ], primaryKey: ["room", "start", "number"])
        ])
        let layout = try Samples.layout(schema)
        var reader = RowJSONReader(layout: layout)
        let text = "2026-11-24T10:00+02:00"
        let json = #"{"_deleted":true,"number":3,"room":"\u0061","note":null,"start":"\#(text)"}"#
        let (object, _) = try read(json, &reader)
        let id = RecordID(["a", .dateTime(try Temporal.DateTime(text)), 3])
        guard case .deletion(let read) = object.content else {
            Issue.record("the record is deleted")
            return
        }
        #expect(read.components.map(\.exact) == id.components.map(\.exact))
    }

    @Test func `a field of the model with the name of metadata is read as a field and not as metadata`() throws {
        let schema = Schema(models: [
            ModelSchema(name: "Odd", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("_version", .int)])
        ])
        var reader = RowJSONReader(layout: try Samples.layout(schema))
        let read = try read(#"{"id":"1","_version":4,"_lastChangedAt":1}"#, &reader)
        #expect(read.record?.values == ["id": "1", "_version": 4] && read.object.state == nil)
    }

    @Test func `a reader that has read a server's objects still refuses unknown members in files`() throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let json = Array(#"{"id":"1","_version":1,"__typename":"Sample"}"#.utf8)
        _ = try read(json, &reader)
        #expect(refusal(of: Array(#"{"id":"1","flag":1}"#.utf8), &reader)?.code == .wrongType)
        for _ in 0..<2 {
            let error = #expect(throws: RecordJSONError.self) {
                try json.withUnsafeBytes { bytes in try reader.withRow(bytes) { _ in } }
            }
            #expect(error?.code == .unknownField)
            _ = try json.withUnsafeBytes { try reader.identify(serverObject: $0) }
        }
    }

    @Test func `a truncated or malformed object is refused with a typed error, and nothing is appended`() throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        var generator = SeededGenerator(12)
        var refusedCount = 0
        for _ in 0..<200 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            var members = generator.decorated(try JSONValue(parsing: try record.json(layout: layout)))
            members.append(JSONValue.Member("_version", .int(1)))
            members.append(JSONValue.Member("_deleted", generator.pick([.null, .bool(true)])))
            members.shuffle(using: &generator)
            let json = JSONValue.object(members).bytes()
            for _ in 0..<10 {
                #expect(refusal(of: Array(json.prefix(generator.below(json.count))), &reader) != nil)
                var changed = json
                for _ in 0...generator.below(3) {
                    changed[generator.below(changed.count)] = generator.pick([
                        UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ","), 0, 0xFF,
                        UInt8(ascii: "1"), UInt8(ascii: "\\"), UInt8(ascii: "]"),
                    ])
                }
                if refusal(of: changed, &reader) != nil { refusedCount += 1 }
                _ = changed.withUnsafeBytes { try? reader.identify(serverObject: $0) }
            }
            // After an error, the reader still reads a valid object.
            #expect(refusal(of: json, &reader) == nil)
        }
        #expect(refusedCount > 1_000)
    }

    @Test func `the position of an error counts from the place of the object in its text`() throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let origin = JSONPosition(byteOffset: 100, line: 7, column: 11)
        let error = #expect(throws: RecordJSONError.self) {
            try Array(#"{"x":{},"id":1}"#.utf8).withUnsafeBytes { bytes in
                _ = try reader.append(serverObject: bytes, origin: origin, to: arena)
            }
        }
        #expect(error?.description == "7:24: Sample.id: expected a string, found a number")
        #expect(error?.position.byteOffset == 113)
    }
}

extension SeededGenerator {
    /// The members of `object`. At random places, `object` and every object in it also get members that no model has.
    fileprivate mutating func decorated(_ object: JSONValue) -> [JSONValue.Member] {
        guard case .object(let members) = object else { return [] }
        var all = members.map { JSONValue.Member($0.key, deeplyDecorated($0.value)) }
        for _ in 0..<below(4) {
            let name = pick(["__typename", "posts", "owner", "titel", "_id", "", "é", "_versions", "x\u{0}"])
            all.insert(JSONValue.Member(name, unknownValue()), at: below(all.count + 1))
        }
        return all
    }

    private mutating func deeplyDecorated(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object: .object(decorated(value))
        case .array(let elements): .array(elements.map { deeplyDecorated($0) })
        default: value
        }
    }

    /// A random value, such as a server gives for relations and connections.
    private mutating func unknownValue() -> JSONValue {
        switch below(6) {
        case 0: .null
        case 1: .string(text())
        case 2:
            .object([JSONValue.Member("items", .array([.null, .object([JSONValue.Member("id", .string(text()))])]))])
        case 3: .object([JSONValue.Member("id", .string("other")), JSONValue.Member("_version", .int(7))])
        case 4: .double(1.5)
        default: .array([.bool(true), .int(.min)])
        }
    }
}
