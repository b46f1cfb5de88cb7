import Testing
import TidelogJSON

@Suite("Reading straight into typed fields")
struct JSONReaderTypedTests {
    private struct City: Equatable {
        var id = ""
        var names: [String] = []
        var latitude = 0.0
        var population: Int64?
        var isCapital = false
    }

    @Test("An object is read into fields without a tree, for any order and any additional members")
    func fields() throws {
        let text = """
            {"unknown":{"a":[1,{"b":"\\u0041"}]},"population":null,"id":"490","na\\u006des":["Lav\\u0101s\\u0101n","لواسان"],
             "latitude":35.82159, "isCapital" : true}
            """
        let city = try read(text) { reader throws(JSONError) in
            var city = City()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "id": city.id = try reader.readString()
                case "names":
                    try reader.beginArray()
                    while try reader.nextElement() { city.names.append(try reader.readString()) }
                case "latitude": city.latitude = try reader.readDouble()
                case "population": city.population = try reader.readNullIfPresent() ? nil : reader.readInt64()
                case "isCapital": city.isCapital = try reader.readBool()
                default: try reader.skipValue()
                }
            }
            return city
        }
        #expect(city == City(id: "490", names: ["Lavāsān", "لواسان"], latitude: 35.82159, isCapital: true))
    }

    @Test("Tokens come in the text's order, and typed calls may be mixed in")
    func tokens() throws {
        let steps = try read("{\"a\":[1,\"x\",true,null,{}],\"b\":2}") { reader throws(JSONError) in
            var steps: [String] = []
            while true {
                switch try reader.next() {
                case .beginObject: steps.append("{")
                case .endObject: steps.append("}")
                case .beginArray: steps.append("[")
                case .endArray: steps.append("]")
                case .key(let key):
                    steps.append(key.string + ":")
                    if key.matches("b") { steps.append("typed \(try reader.readInt64())") }
                case .string(let value): steps.append(value.string)
                case .number(let number): steps.append(number.text)
                case .bool(let value): steps.append("\(value)")
                case .null: steps.append("null")
                case .endOfText: return steps
                }
            }
        }
        #expect(steps == ["{", "a:", "[", "1", "x", "true", "null", "{", "}", "]", "b:", "typed 2", "}"])
    }

    @Test("Reading a value as another kind is an error that consumes nothing")
    func wrongKind() throws {
        let samples: [(text: String, kind: JSONKind)] = [
            ("{}", .object), ("[]", .array), ("\"1\"", .string), ("1", .number), ("true", .bool), ("null", .null),
        ]
        let calls: [(expected: JSONKind, call: (inout JSONReader) throws(JSONError) -> Void)] = [
            (.object, { reader throws(JSONError) in try reader.beginObject() }),
            (.array, { reader throws(JSONError) in try reader.beginArray() }),
            (.string, { reader throws(JSONError) in _ = try reader.readString() }),
            (.number, { reader throws(JSONError) in _ = try reader.readInt64() }),
            (.number, { reader throws(JSONError) in _ = try reader.readDouble() }),
            (.bool, { reader throws(JSONError) in _ = try reader.readBool() }),
            (.null, { reader throws(JSONError) in try reader.readNull() }),
        ]
        for sample in samples {
            for (expected, call) in calls where expected != sample.kind {
                try read("  \(sample.text) ") { reader throws(JSONError) in
                    do throws(JSONError) {
                        try call(&reader)
                        Issue.record("\(sample.text) was taken for \(expected)")
                    } catch {
                        #expect(error.code == .wrongKind(expected: expected, found: sample.kind))
                        #expect(error.position.byteOffset == 2)
                    }
                    #expect(try reader.peekKind() == sample.kind)
                    try reader.skipValue()
                }
            }
        }
    }

    @Test("Repeated keys of an object are all given, in the order of the text")
    func repeatedKeys() throws {
        let keys = try read("{\"a\":1,\"b\":2,\"a\":3}") { reader throws(JSONError) in
            var keys: [String] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                keys.append(key.string)
                try reader.skipValue()
            }
            return keys
        }
        #expect(keys == ["a", "b", "a"])
    }

    @Test("A raw value is the value's text, unchanged and checked")
    func rawValue() throws {
        let raw = try read("{\"a\": {\"b\" : [1, 2.50]} ,\"c\":1}") { reader throws(JSONError) in
            var raw = ""
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key.matches("a") {
                    raw = String(decoding: try reader.readRawValue(), as: UTF8.self)
                } else {
                    try reader.skipValue()
                }
            }
            return raw
        }
        #expect(raw == "{\"b\" : [1, 2.50]}")
        #expect(
            failure("[1,}") { reader throws(JSONError) in _ = try reader.readRawValue() }?.code == .unexpectedByte(0x7D)
        )
    }

    @Test("A copy of a reader reads ahead without moving the reader")
    func copy() throws {
        try read("{\"kind\":\"city\",\"id\":7}") { reader throws(JSONError) in
            var ahead = reader
            try ahead.beginObject()
            _ = try ahead.nextKey()
            #expect(try ahead.readString() == "city")
            #expect(reader.byteOffset == 0)
            #expect(reader.depth == 0)
            #expect(ahead.depth == 1)
            try reader.skipValue()
        }
    }

    @Test("The reader's position is the place of its next byte")
    func position() throws {
        try read("[1,\n22]") { reader throws(JSONError) in
            try reader.beginArray()
            _ = try reader.nextElement()
            _ = try reader.readInt64()
            #expect(reader.position == JSONPosition(byteOffset: 2, line: 1, column: 3))
            _ = try reader.nextElement()
            #expect(reader.position == JSONPosition(byteOffset: 4, line: 2, column: 1))
            _ = try reader.readInt64()
            _ = try reader.nextElement()
        }
    }

    @Test("A call that does not fit the reader's place in the text traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            // `try?` ignores a thrown error, so the process fails only if the call traps.
            try? read("[1]") { reader throws(JSONError) in
                try reader.beginArray()
                _ = try reader.nextKey()
            }
        }
        await #expect(processExitsWith: .failure) {
            try? read("{\"a\":1}") { reader throws(JSONError) in
                try reader.beginObject()
                _ = try reader.nextKey()
                _ = try reader.nextKey()
            }
        }
        await #expect(processExitsWith: .failure) {
            try? read("1") { reader throws(JSONError) in
                _ = try reader.readInt64()
                _ = try reader.readInt64()
            }
        }
        await #expect(processExitsWith: .failure) {
            try? read("[1]") { reader throws(JSONError) in try reader.beginArray() }
        }
    }
}
