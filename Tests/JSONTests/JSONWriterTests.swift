import SeededNumbers
import Testing
import TidelogJSON

@Suite("The writer")
struct JSONWriterTests {
    private func sample(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string("a")
        writer.key("list")
        writer.beginArray()
        writer.int(1)
        writer.null()
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        writer.key("on")
        writer.bool(true)
        writer.rawKey(Array("\"raw\"".utf8))
        Array("[1, 2]".utf8).withUnsafeBytes { writer.rawValue($0) }
        writer.endObject()
    }

    @Test("Compact text has no whitespace")
    func compact() {
        #expect(written(sample) == "{\"id\":\"a\",\"list\":[1,null,{},[]],\"on\":true,\"raw\":[1, 2]}")
    }

    @Test("Pretty text has one member per line, two spaces per level, and empty containers on one line")
    func pretty() {
        let expected = """
            {
              "id": "a",
              "list": [
                1,
                null,
                {},
                []
              ],
              "on": true,
              "raw": [1, 2]
            }
            """
        #expect(written(style: .pretty, sample) == expected)
    }

    @Test("Only quotes, backslashes and control characters are escaped, with a short form if there is one")
    func escapes() {
        let expected: [UInt32: String] = [
            0x22: "\\\"", 0x5C: "\\\\", 0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r",
            0x00: "\\u0000", 0x01: "\\u0001", 0x0B: "\\u000b", 0x0F: "\\u000f", 0x10: "\\u0010", 0x1A: "\\u001a",
            0x1F: "\\u001f",
        ]
        for value in UInt32(0)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = written { $0.string("1234567\(scalar)8") }
            if let escape = expected[value] {
                #expect(text == "\"1234567\(escape)8\"")
            } else if value >= 0x20 {
                #expect(Array(text.utf8) == Array("\"1234567\(scalar)8\"".utf8))
            } else {
                #expect(text.hasPrefix("\"1234567\\u00"))
            }
        }
        #expect(written { $0.string("/\u{7F}\u{2028}😀") } == "\"/\u{7F}\u{2028}😀\"")
    }

    @Test("A string that is written as a key or as a value is read back byte for byte")
    func stringRoundTrip() throws {
        var generator = SeededGenerator(4)
        let alphabet: [Unicode.Scalar] = [
            "\"", "\\", "\n", "\0", "\u{1F}", "a", "b", "é", "e", "\u{301}", "😀", "\u{2028}", "/", "u",
        ]
        for _ in 0..<5_000 {
            var string = ""
            for _ in 0..<Int.random(in: 0..<30, using: &generator) {
                string.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            let text = written { writer in
                writer.beginObject()
                writer.key(string)
                writer.string(string)
                Array(string.utf8).withUnsafeBytes { writer.key(utf8: $0) }
                Array(string.utf8).withUnsafeBytes { writer.string(utf8: $0) }
                writer.endObject()
            }
            try read(text) { reader throws(JSONError) in
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    #expect(key.string.utf8.elementsEqual(string.utf8))
                    #expect(try reader.readString().utf8.elementsEqual(string.utf8))
                }
            }
        }
    }

    @Test("Integers are written as their decimal digits")
    func integers() {
        var generator = SeededGenerator(5)
        var samples: [Int64] = [.min, .max, 0, 1, -1, 9, 10, -10, 99, 100]
        for _ in 0..<2_000 {
            samples.append(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        }
        for value in samples { #expect(written { $0.int(value) } == "\(value)") }
    }

    @Test("A double always has the same text: the shortest one, with a fraction or an exponent")
    func doubles() {
        let samples: [(Double, String)] = [
            (468, "468.0"), (0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (35.75936, "35.75936"),
            (1e15, "1000000000000000.0"),
            (9_007_199_254_740_992, "9007199254740992.0"), (1e16, "1e+16"), (1e20, "1e+20"), (1e-4, "0.0001"),
            (1e-5, "1e-05"), (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (-1.5e300, "-1.5e+300"),
            (1.0 / 3, "0.3333333333333333"),
        ]
        for (value, text) in samples { #expect(written { $0.double(value) } == text) }
    }

    @Test("A written text is the same, byte for byte, after it is parsed and written again")
    func stableExport() throws {
        let imported = try JSONValue(parsing: Array("{\"areaKm2\":468.0,\"population\":29774,\"x\":1E2}".utf8))
        let first = imported.bytes()
        #expect(String(decoding: first, as: UTF8.self) == "{\"areaKm2\":468.0,\"population\":29774,\"x\":100.0}")
        #expect(try JSONValue(parsing: first).bytes() == first)
    }

    @Test("Several documents are written as lines, and the buffer can be used again after removeAll")
    func lines() {
        var writer = JSONWriter(appendingTo: Array("# ".utf8))
        #expect(writer.isComplete)
        for number in 1...2 {
            writer.beginArray()
            #expect(!writer.isComplete)
            writer.int(Int64(number))
            writer.endArray()
            #expect(writer.isComplete)
            writer.endLine()
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "# [1]\n[2]\n")
        writer.beginObject()
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        writer.bool(false)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "false")
    }

    @Test("A document flushed in pieces is the same document")
    func flush() {
        var output: [UInt8] = []
        var writer = JSONWriter()
        writer.beginArray()
        for number in 0..<5 {
            writer.int(Int64(number))
            writer.flush { output.append(contentsOf: $0) }
            #expect(writer.bytes.isEmpty)
        }
        writer.endArray()
        writer.flush { output.append(contentsOf: $0) }
        #expect(String(decoding: output, as: UTF8.self) == "[0,1,2,3,4]")
    }

    @Test("Writing NaN or infinity traps")
    func notFinite() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.double(.nan)
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.double(.infinity)
        }
    }

    @Test("A call that would give invalid JSON traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.int(1)
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.int(1)
            writer.int(2)
        }
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("a")
            writer.endObject()
        }
    }
}
