import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

@Suite struct PatchTests {
    @Test func `a patch changes the fields that it gives and keeps the others exactly`() throws {
        let layout = try Samples.layout(Samples.schema)
        var generator = SeededGenerator(4)
        for _ in 0..<500 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            var patch = try generator.values(of: layout.schema.fields, in: Samples.schema)
            patch["id"] = record["id"]
            let json = try Record(model: "Sample", values: patch).json(layout: layout)
            let expected = record.values.merging(patch) { $1 }
            #expect(try patched(record, json, layout).values.exact == expected.exact)
        }
    }

    @Test func `null in a patch removes an optional value, and gives a required field its default`() throws {
        let layout = try Samples.layout(Samples.defaults)
        let record = Record(model: "Task", values: ["id": "1", "rank": 9, "note": "n"])
        #expect(try patched(record, #"{"note":null}"#, layout).values == ["id": "1", "rank": 9])
        #expect(try patched(record, #"{"rank":null}"#, layout).values == ["id": "1", "rank": 7, "note": "n"])
        #expect(throws: RecordJSONError.self) { try patched(record, #"{"id":null}"#, layout) }
    }

    @Test func `a patch does not fill in the defaults of fields that it does not contain`() throws {
        let layout = try Samples.layout(Samples.defaults)
        let record = Record(model: "Task", values: ["id": "1", "rank": 9, "note": "n"])
        let cleared = try patched(record, #"{"note":null}"#, layout, #"{"rank":8}"#)
        #expect(cleared.values == ["id": "1", "rank": 8])
    }

    private func patched(
        _ record: Record, _ json: String, _ layout: ModelLayout, _ then: String? = nil
    ) throws -> Record {
        try patched(record, Array(json.utf8), layout, then.map { Array($0.utf8) })
    }

    private func patched(
        _ record: Record, _ json: [UInt8], _ layout: ModelLayout, _ then: [UInt8]? = nil
    ) throws -> Record {
        var reader = RowJSONReader(layout: layout)
        return try EncodedRow(record, layout: layout).withRow { _, row in
            try json.withUnsafeBytes { bytes in
                try reader.withRow(patching: row, with: bytes) { row in
                    guard let then else { return try Record(row, layout: layout) }
                    var second = RowJSONReader(layout: layout)
                    return try then.withUnsafeBytes { bytes in
                        try second.withRow(patching: row, with: bytes) { try Record($0, layout: layout) }
                    }
                }
            }
        }
    }
}
