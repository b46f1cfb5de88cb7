import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

@Suite struct RoundTripTests {
    @Test func `the world's cities export as the very bytes that were imported`() throws {
        let file = try Samples.worldFile("cities.ndjson")
        let export = try exported(file, try Samples.layout(Samples.world, 1))
        #expect(export.lines == 34_006)
        #expect(export.bytes == file)
    }

    @Test func `the first export of the world's countries differs from the file, and later exports are the same`()
        throws
    {
        let layout = try Samples.layout(Samples.world, 0)
        let file = try Samples.worldFile("countries.ndjson")
        let first = try exported(file, layout)
        #expect(first.lines == 252)
        #expect(first.bytes != file)
        #expect(try exported(first.bytes, layout).bytes == first.bytes)
    }

    @Test func `any record is exactly the same after writing and reading`() throws {
        let layout = try Samples.layout(Samples.schema)
        var generator = SeededGenerator(1)
        for _ in 0..<2_000 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            let json = try record.json(layout: layout)
            let read = try Record(json: json, layout: layout)
            #expect(read.values.exact == record.values.exact)
            #expect(try read.json(layout: layout) == json)
            #expect(
                try Record(json: try record.json(layout: layout, isPretty: true), layout: layout).values.exact
                    == record.values.exact)
        }
    }

    @Test func `apps read the same record from the text that they wrote`() throws {
        let layout = try Samples.layout(Samples.schema)
        let json = try RecordJSON(Samples.schema)
        var generator = SeededGenerator(4)
        for _ in 0..<1_000 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            for isPretty in [false, true] {
                let text = try json.text(of: record, isPretty: isPretty)
                let read = try json.record("Sample", from: text.utf8)
                #expect(read.model == "Sample" && read.values.exact == record.values.exact)
                #expect(try json.bytes(of: read, isPretty: isPretty) == Array(text.utf8))
            }
        }
    }

    @Test func `a value that was cleared is not written, and a required default is`() throws {
        let json = try RecordJSON(Samples.defaults)
        let record = Record(model: "Task", values: ["id": "1"])
        #expect(try json.text(of: record) == #"{"id":"1","rank":7}"#)
        #expect(
            try json.record("Task", from: Array(#"{"id":"1"}"#.utf8)).values == ["id": "1", "rank": 7, "note": "none"])
    }

    @Test func `the order of fields in the text does not matter`() throws {
        let layout = try Samples.layout(Samples.schema)
        var generator = SeededGenerator(2)
        for _ in 0..<200 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            let json = try record.json(layout: layout)
            guard case .object(var members) = try JSONValue(parsing: json) else {
                Issue.record("not an object")
                return
            }
            members.shuffle(using: &generator)
            let shuffled = JSONValue.object(members).bytes()
            #expect(try Record(json: shuffled, layout: layout).values.exact == record.values.exact)
        }
    }

    @Test func `a row reads and writes the same under a layout whose fields were dropped, inserted and reordered`()
        throws
    {
        let old = StoredSchema(first: Samples.schema)
        var next = Samples.schema
        next.models[0].fields.reverse()
        next.models[0].fields.removeAll { $0.name == "title" || $0.name == "wholes" }
        next.models[0].fields.insert(FieldSchema("extra", .string), at: 2)
        next.embeddedTypes[0].fields.reverse()
        let layout = SchemaLayout(old.adopting(next)).models[0]
        var generator = SeededGenerator(3)
        for _ in 0..<300 {
            let record = Record(model: "Sample", values: try generator.values(of: layout.schema.fields, in: next))
            let read = try Record(json: try record.json(layout: layout), layout: layout)
            #expect(read.values.exact == record.values.exact)
        }
    }

    @Test
    func `fields are written in the order of the schema, missing fields are left out, and temporals keep their text`()
        throws
    {
        let layout = try Samples.layout(Samples.schema)
        let record = try Record(
            json: """
                { "moment": "2026-11-21T10:30+01:00", "title": null, "number": 468, "whole": 1e3,
                  "place": {"near": [null, {"city": "b"}], "city": "\\u0061\\n"}, "id": "x", "wholes": [1, null] }
                """, layout: layout)
        let expected = """
            {"id":"x","whole":1000,"number":468.0,"moment":"2026-11-21T10:30+01:00",\
            "place":{"city":"a\\n","near":[null,{"city":"b"}]},"wholes":[1,null]}
            """
        #expect(String(decoding: try record.json(layout: layout), as: UTF8.self) == expected)
    }

    @Test func `a text that is not a case of its enum is kept, also in a list, and counted for its field`() throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        for text in [#"{"id":"1","color":"pink"}"#, #"{"id":"1","color":"red","colors":["red","pink","r\u0000"]}"#] {
            let json = try Array(text.utf8).withUnsafeBytes { bytes in
                try reader.withRow(bytes) { row in
                    var writer = JSONWriter()
                    try RowJSONWriter(layout: layout).write(row, to: &writer)
                    return String(decoding: writer.bytes, as: UTF8.self)
                }
            }
            #expect(json == text)
        }
        #expect(reader.unknownCases == ["Sample.color": 1, "Sample.colors": 2])
        #expect(reader.cases(ofField: "Sample.colors") == ["green", "red"])
        #expect(reader.cases(ofField: "Sample.title").isEmpty)
    }

    @Test func `a writer for some fields writes only these, in its own order, and embedded values completely`() throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        let text = #"{"id":"1","whole":2,"place":{"city":"a","height":1.5}}"#
        let json = try Array(text.utf8).withUnsafeBytes { bytes in
            try reader.withRow(bytes) { row in
                var writer = JSONWriter()
                try RowJSONWriter(layout: layout, fields: ["place", "title", "id"]).write(row, to: &writer)
                return String(decoding: writer.bytes, as: UTF8.self)
            }
        }
        #expect(json == #"{"place":{"city":"a","height":1.5},"id":"1"}"#)
    }

    @Test func `whole numbers are exact over 64 bits`() throws {
        let layout = try Samples.layout(Samples.schema)
        for number in [Int64.min, .max, 1 << 53 + 1, -(1 << 53) - 1] {
            let record = try Record(json: #"{"id":"1","whole":\#(number),"stamp":\#(number)}"#, layout: layout)
            #expect(record["whole"]?.exact == FieldValue.int(number).exact)
            #expect(record["stamp"]?.exact == FieldValue.int(number).exact)
        }
    }

    @Test func `a field that is missing or null gets the schema's default`() throws {
        let layout = try Samples.layout(Samples.defaults)
        let record = try Record(json: #"{"id":"1","rank":null}"#, layout: layout)
        #expect(record.values == ["id": "1", "rank": 7, "note": "none"])
    }

    @Test func `metadata is written if the caller gives it`() throws {
        let layout = try Samples.layout(Samples.defaults)
        let row = try EncodedRow(Record(model: "Task", values: ["id": "1", "note": "n"]), layout: layout)
        let json = try row.withRow { _, row in
            var writer = JSONWriter()
            let state = ServerState(version: 3, lastChangedAt: 1_700_000_000_123, isDeleted: true)
            try RowJSONWriter(layout: layout).write(row, metadata: state, to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(
            json == #"{"id":"1","rank":7,"note":"n","_version":3,"_lastChangedAt":1700000000123,"_deleted":true}"#)
    }

    private func exported(_ file: [UInt8], _ layout: ModelLayout) throws -> (bytes: [UInt8], lines: Int) {
        var reader = RowJSONReader(layout: layout)
        let writer = RowJSONWriter(layout: layout)
        var output = JSONWriter()
        var splitter = JSONLineSplitter()
        var lines = 0
        func line(_ line: JSONLineSplitter.Line) throws {
            try reader.withRow(line.bytes, origin: line.position) { try writer.write($0, to: &output) }
            output.endLine()
            lines += 1
        }
        try splitter.append(file, line)
        try splitter.finish(line)
        return (output.bytes, lines)
    }
}
