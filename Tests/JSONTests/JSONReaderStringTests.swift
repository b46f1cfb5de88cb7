import Testing
import TidelogJSON

@Suite("Reading strings")
struct JSONReaderStringTests {
    private func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

    @Test("Escapes become the scalars that they stand for, as a String, as bytes and in comparisons")
    func escapes() throws {
        let samples: [(text: String, value: String)] = [
            ("", ""), ("abc", "abc"), ("\\\"\\\\\\/", "\"\\/"), ("\\b\\f\\n\\r\\t", "\u{8}\u{C}\n\r\t"),
            ("\\u0000", "\u{0}"), ("a\\u0000b", "a\u{0}b"), ("\\u007f\\u0080", "\u{7F}\u{80}"),
            ("\\u07FF\\u0800", "\u{7FF}\u{800}"),
            ("\\uD7FF\\uE000\\uffff", "\u{D7FF}\u{E000}\u{FFFF}"), ("\\uD800\\uDC00", "\u{10000}"),
            ("\\uDBFF\\uDFFF", "\u{10FFFF}"), ("x\\uD83D\\uDE00y", "x😀y"), ("é\\u00e9😀\\n", "éé😀\n"),
            ("12345678\\u0041é12345678", "12345678Aé12345678"), ("\\\\u0041", "\\u0041"),
        ]
        for (text, value) in samples {
            var buffer: [UInt8] = [1, 2]
            let string = try read("\"\(text)\"") { reader throws(JSONError) in
                var copy = reader
                try copy.readStringSlice().append(to: &buffer)
                copy = reader
                let slice = try copy.readStringSlice()
                #expect(slice.hasEscapes == text.utf8.contains(UInt8(ascii: "\\")))
                #expect(slice.matches(Array(value.utf8)))
                #expect(!slice.matches(Array(value.utf8) + [0x41]))
                #expect(!slice.matches(Array("x".utf8) + Array(value.utf8)))
                if !value.isEmpty { #expect(!slice.matches(Array(value.utf8.dropLast()))) }
                return try reader.readString()
            }
            #expect(Array(string.utf8) == Array(value.utf8), "\(text)")
            #expect(buffer == [1, 2] + Array(value.utf8), "\(text)")
        }
    }

    @Test("A slice without escapes refers to the bytes of the text and copies nothing")
    func zeroCopy() throws {
        let bytes = Array("[\"abc é\"]".utf8)
        try bytes.withUnsafeBytes { text in
            var reader = JSONReader(text)
            try reader.beginArray()
            _ = try reader.nextElement()
            let slice = try reader.readStringSlice()
            #expect(slice.rawBytes.baseAddress == text.baseAddress.map { $0 + 2 })
            #expect(slice.rawBytes.count == 6)
        }
    }

    @Test("A slice matches a name only byte for byte, never by canonical equivalence")
    func names() throws {
        try read("[\"caf\\u00e9\",\"café\",\"cafe\\u0301\",\"e\",\"\"]") { reader throws(JSONError) in
            try reader.beginArray()
            var matches: [Bool] = []
            while try reader.nextElement() { matches.append(try reader.readStringSlice().matches("caf\u{E9}")) }
            #expect(matches == [true, true, false, false, false])
        }
    }

    @Test("Every scalar is accepted as UTF-8 and given back unchanged")
    func allScalars() throws {
        var text = "\""
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
        let string = try read(text) { reader throws(JSONError) in try reader.readString() }
        #expect(string.utf8.elementsEqual(text.utf8.dropFirst().dropLast()))
    }

    @Test("Scalars that are written as escapes are read back unchanged")
    func allEscapes() throws {
        func escape(_ unit: UInt16) -> String {
            let digits = String(unit, radix: 16, uppercase: unit & 1 == 0)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        var text = "\""
        var expected = ""
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            expected.unicodeScalars.append(scalar)
            for unit in String(scalar).utf16 { text += escape(unit) }
        }
        text += "\""
        let string = try read(text) { reader throws(JSONError) in try reader.readString() }
        #expect(string.utf8.elementsEqual(expected.utf8))
    }

    @Test("Bytes in a string are accepted exactly if the standard library accepts them as UTF-8")
    func utf8AgainstStandardLibrary() {
        let interesting: [UInt8] = [
            0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var disagreements: [[UInt8]] = []
        func check(_ bytes: [UInt8]) {
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            if (code(ofSkipping: quoted(bytes)) == nil) != isValid { disagreements.append(bytes) }
        }
        for first in UInt8(0x80)...0xFF {
            check([first])
            for second in interesting {
                check([first, second])
                check([0x41, first, second])
                for third in interesting { check([first, second, third]) }
            }
        }
        for first in UInt8(0xEE)...0xF6 {
            for second in interesting {
                for third in [0x20, 0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
                    for fourth in [0x20, 0x7F, 0x80, 0xBF, 0xC0] as [UInt8] { check([first, second, third, fourth]) }
                }
            }
        }
        #expect(disagreements.isEmpty)
    }

    @Test("Invalid UTF-8 is refused at its first byte, in keys and values, at every alignment")
    func invalidUTF8() {
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ]
        for bytes in broken {
            for padding in 0..<17 {
                let body = Array(repeating: UInt8(ascii: "a"), count: padding) + bytes
                let value = failure(quoted(body)) { reader throws(JSONError) in try reader.skipValue() }
                #expect(value?.code == .invalidUTF8(bytes[0]))
                #expect(value?.position.byteOffset == padding + 1)
                let key = [UInt8(ascii: "{")] + quoted(body) + Array(":1}".utf8)
                #expect(code(ofSkipping: key) == .invalidUTF8(bytes[0]))
            }
        }
        #expect(code(ofSkipping: [0xFF]) == .unexpectedByte(0xFF))
    }

    @Test("The end of a string is found at every alignment and length")
    func alignments() throws {
        for length in 0..<40 {
            for special in ["", "\\n", "é", "\\u00e9", "😀"] {
                for place in 0...length {
                    let text =
                        String(repeating: "a", count: place) + special + String(repeating: "b", count: length - place)
                    let value = text.replacing("\\n", with: "\n").replacing("\\u00e9", with: "é")
                    #expect(try read("\"\(text)\"") { reader throws(JSONError) in try reader.readString() } == value)
                }
            }
        }
    }
}
