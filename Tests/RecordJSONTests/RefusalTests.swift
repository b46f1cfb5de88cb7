import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

@Suite struct RefusalTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let json: String
        let code: RecordJSONError.Code
        let text: String

        init(_ json: String, _ code: RecordJSONError.Code, _ text: String) {
            self.json = json
            self.code = code
            self.text = text
        }

        var testDescription: String { json }
    }

    static let refusals: [Refusal] = [
        Refusal(#"{"id":"1","#, .malformed, "1:11: Sample: the text ends inside a value"),
        Refusal(#"{"id":"1"} x"#, .malformed, "1:12: Sample: byte 0x78 follows the end of the document"),
        Refusal("", .malformed, "1:1: Sample: the text ends inside a value"),
        Refusal("[]", .wrongType, "1:1: Sample: expected an object, found an array"),
        Refusal("\n {\"id\":\"\u{1}\"}", .malformed, "2:9: Sample.id: unescaped control character 0x01 in a string"),
        Refusal(
            #"{"id":"1","titel":"x"}"#, .unknownField,
            #"1:11: Sample: Sample has no field "titel" (did you mean "title"?)"#),
        Refusal("{\"id\":\"1\",\n  \"a b\":\"x\"}", .unknownField, "2:3: Sample: Sample has no field with that name"),
        Refusal(#"{"id":"1","":"x"}"#, .unknownField, "1:11: Sample: Sample has no field with that name"),
        Refusal(
            #"{"id":"1","place":{"city":"c","town":1}}"#, .unknownField,
            #"1:31: Sample.place: Place has no field "town""#),
        Refusal("{\"id\":\"1\",\n\"id\" :\"1\"}", .duplicateField, "2:1: Sample.id: the field is given twice"),
        Refusal(#"{"\u0069d":"1","id":null}"#, .duplicateField, "1:16: Sample.id: the field is given twice"),
        Refusal(#" {"title":"x"}"#, .missingField, "1:2: Sample.id: the field is required and has no value"),
        Refusal(#"{"id": null}"#, .missingField, "1:8: Sample.id: the field is required and has no value"),
        Refusal(
            #"{"id":"1","place": {}}"#, .missingField, "1:20: Place.city: the field is required and has no value"),
        Refusal(#"{"id":1}"#, .wrongType, "1:7: Sample.id: expected a string, found a number"),
        Refusal(#"{"id":"1","whole": "1"}"#, .wrongType, "1:20: Sample.whole: expected a number, found a string"),
        Refusal(
            #"{"id":"1","whole":1.5}"#, .wrongType,
            "1:19: Sample.whole: expected an integer, found a number with a fraction"),
        Refusal(
            #"{"id":"1","whole":9223372036854775808}"#, .outOfRange,
            "1:19: Sample.whole: integer outside the range of 64 signed bits"),
        Refusal(#"{"id":"1","number":1e999}"#, .outOfRange, "1:20: Sample.number: number beyond the range of a double"),
        Refusal(#"{"id":"1","number":true}"#, .wrongType, "1:20: Sample.number: expected a number, found a boolean"),
        Refusal(#"{"id":"1","flag":0}"#, .wrongType, "1:18: Sample.flag: expected a boolean, found a number"),
        Refusal(#"{"id":"1","flag":nul}"#, .malformed, "1:18: Sample.flag: expected true, false or null"),
        Refusal(
            #"{"id":"1","day":"2026-02-30"}"#, .invalidTemporal,
            "1:17: Sample.day: not a valid ISO 8601 date: unexpected input at offset 8"),
        Refusal(
            #"{"id":"1","clock":"25:00"}"#, .invalidTemporal,
            "1:19: Sample.clock: not a valid ISO 8601 time: unexpected input at offset 0"),
        Refusal(
            #"{"id":"1","moment":"2026-02-01"}"#, .invalidTemporal,
            "1:20: Sample.moment: not a valid ISO 8601 date and time: unexpected input at offset 10"),
        Refusal(
            #"{"id":"1","names":["a",null]}"#, .missingElement,
            "1:24: Sample.names: an element is null where the schema requires a value"),
        Refusal(#"{"id":"1","names":"a"}"#, .wrongType, "1:19: Sample.names: expected an array, found a string"),
        Refusal(#"{"id":"1","grid":[1]}"#, .wrongType, "1:19: Sample.grid: expected an array, found a number"),
        Refusal(#"{"id":"1","place":[]}"#, .wrongType, "1:19: Sample.place: expected an object, found an array"),
        Refusal(
            #"{"id":"1","places":[{"city":"a","inside":{"city":2}}]}"#, .wrongType,
            "1:50: Place.city: expected a string, found a number"),
    ]

    @Test(arguments: refusals)
    func `a refused record leaves the arena as it was`(_ refusal: Refusal) throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        let arena = ByteArena()
        let range = try Array(#"{"id":"0","title":"t"}"#.utf8).withUnsafeBytes { try reader.append($0, to: arena) }
        #expect(throws: RecordJSONError.self) {
            try Array(refusal.json.utf8).withUnsafeBytes { bytes in try reader.append(bytes, to: arena) }
        }
        #expect(arena.count == range.upperBound)
        #expect(try Record(RowView(arena[range]), layout: layout).values == ["id": "0", "title": "t"])
    }

    @Test(arguments: refusals)
    func `an error names the line, the column and the field, and the reader can still read another record`(
        _ refusal: Refusal
    ) throws {
        let layout = try Samples.layout(Samples.schema)
        var reader = RowJSONReader(layout: layout)
        let error = #expect(throws: RecordJSONError.self) {
            try Array(refusal.json.utf8).withUnsafeBytes { bytes in try reader.withRow(bytes) { _ in } }
        }
        #expect(error?.code == refusal.code)
        #expect(error?.description == refusal.text)
        #expect(error?.dataStoreError.code == .invalidValue)
        #expect(error?.dataStoreError.message == refusal.text + ".")
        let read = try Array(#"{"id":"2"}"#.utf8).withUnsafeBytes { bytes in
            try reader.withRow(bytes) { try Record($0, layout: layout) }
        }
        #expect(read.values == ["id": "2"])
    }

    @Test func `the position of an error counts from the place of the line in its file`() throws {
        var reader = RowJSONReader(layout: try Samples.layout(Samples.schema))
        let origin = JSONPosition(byteOffset: 1_000, line: 12, column: 1)
        let error = #expect(throws: RecordJSONError.self) {
            try Array(#"{"id":"1","flag":7}"#.utf8).withUnsafeBytes { bytes in
                try reader.withRow(bytes, origin: origin) { _ in }
            }
        }
        #expect(error?.position == JSONPosition(byteOffset: 1_017, line: 12, column: 18))
    }

    @Test func `values can be nested as deeply as a row allows, and no deeper`() throws {
        let layout = try Samples.layout(Samples.schema)
        func nested(_ depth: Int) -> String {
            let open = (1..<depth).map { _ in #"{"city":"c","inside":"# }.joined()
            return #"{"id":"1","place":"# + open + #"{"city":"c"}"# + String(repeating: "}", count: depth)
        }
        let record = try Record(json: nested(Limits.nestingDepth), layout: layout)
        #expect(try Record(json: try record.json(layout: layout), layout: layout).values == record.values)
        let error = #expect(throws: RecordJSONError.self) {
            try Record(json: nested(Limits.nestingDepth + 1), layout: layout)
        }
        #expect(error?.code == .tooDeep)
        let text = String(repeating: "[", count: 500)
        let deeper = #expect(throws: RecordJSONError.self) {
            try Record(json: #"{"id":"1","grid":"# + text, layout: layout)
        }
        #expect(deeper?.code == .tooDeep)
    }

    @Test func `a row beyond the limit is refused`() throws {
        let layout = try Samples.layout(Samples.schema)
        let text = String(repeating: "x", count: Limits.rowByteCount)
        let error = #expect(throws: RecordJSONError.self) {
            try Record(json: #"{"id":"1","title":"\#(text)"}"#, layout: layout)
        }
        #expect(error?.code == .tooLarge)
        // The place is the field that takes most of the row's bytes.
        let message = error?.description ?? ""
        #expect(message.hasPrefix("1:19: Sample.title: the row is larger than 16777216 bytes; this field has"))
    }

    @Test func `changed bytes are read as a record or refused, and never trap`() throws {
        let layout = try Samples.layout(Samples.schema)
        var generator = SeededGenerator(5)
        var reader = RowJSONReader(layout: layout)
        var refused = 0
        for _ in 0..<200 {
            let record = Record(
                model: "Sample", values: try generator.values(of: layout.schema.fields, in: Samples.schema))
            let json = try record.json(layout: layout)
            for _ in 0..<50 {
                var changed = json
                for _ in 0...generator.below(3) {
                    let index = generator.below(changed.count)
                    switch generator.below(4) {
                    case 0: changed[index] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: changed.remove(at: index)
                    case 2: changed.insert(generator.pick(Array(#"{}[]",:0eE-.\n"#.utf8)), at: index)
                    default: changed.removeSubrange(index..<min(changed.count, index + generator.below(20)))
                    }
                    if changed.isEmpty { changed = [0x20] }
                }
                do {
                    try changed.withUnsafeBytes { bytes in
                        try reader.withRow(bytes) { _ = try Record($0, layout: layout).json(layout: layout) }
                    }
                } catch is RecordJSONError {
                    refused += 1
                }
            }
        }
        #expect(refused > 5_000)
    }
}
