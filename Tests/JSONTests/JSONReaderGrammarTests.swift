import Testing
import TidelogJSON

@Suite("The reader's grammar")
struct JSONReaderGrammarTests {
    @Test("There are at least 150 grammar vectors")
    func vectorCount() {
        #expect(validTexts.count + invalidTexts.count >= 150)
    }

    @Test("Every valid text is accepted when it is skipped, read as tokens and parsed to a tree")
    func valid() {
        for text in validTexts {
            let bytes = Array(text.utf8)
            #expect(code(ofSkipping: bytes) == nil, "\(text)")
            #expect(code(ofTokens: bytes) == nil, "\(text)")
            #expect(code(ofParsing: bytes) == nil, "\(text)")
        }
    }

    @Test("Every invalid text is refused with its code when it is skipped, read as tokens and parsed to a tree")
    func invalid() {
        for (text, expected) in invalidTexts {
            let bytes = Array(text.utf8)
            #expect(code(ofSkipping: bytes) == expected, "\(text)")
            #expect(code(ofTokens: bytes) == expected, "\(text)")
            #expect(code(ofParsing: bytes) == expected, "\(text)")
        }
    }

    @Test("An invalid text stays invalid inside an array and an object")
    func invalidNested() {
        for (text, _) in invalidTexts where !text.utf8.allSatisfy({ $0 <= 0x20 }) {
            // These texts close or continue the array or the object around them.
            if [",", "]", "}", "1 #", "[]]", "{}}", "null,", "1,"].contains(text) { continue }
            #expect(code(ofSkipping: Array("[0,\(text)]".utf8)) != nil, "\(text)")
            #expect(code(ofSkipping: Array("{\"k\":\(text)}".utf8)) != nil, "\(text)")
        }
    }

    @Test("Errors name the byte, the line and the column, counted in bytes from 1")
    func positions() {
        let error = failure("{\"é\": 1,\n  \"b\": x}") { reader throws(JSONError) in try reader.skipValue() }
        #expect(error?.code == .unexpectedByte(0x78))
        #expect(error?.position == JSONPosition(byteOffset: 17, line: 2, column: 8))
        #expect(error?.description == "line 2, column 8 (byte 17): unexpected byte 0x78")
    }

    @Test("The positions of errors count from the origin that the reader was given")
    func origin() {
        let origin = JSONPosition(byteOffset: 100, line: 7, column: 11)
        let first = failure("[x", origin: origin) { reader throws(JSONError) in try reader.skipValue() }
        #expect(first?.position == JSONPosition(byteOffset: 101, line: 7, column: 12))
        let second = failure("[\nx", origin: origin) { reader throws(JSONError) in try reader.skipValue() }
        #expect(second?.position == JSONPosition(byteOffset: 102, line: 8, column: 1))
    }

    @Test("An error's description contains at most one byte of the text")
    func privacy() {
        for text in ["[\"secret\u{01}\"]", "{\"secret\":secret}", "[12345secret]", "\"secret\\q\""] {
            let error = failure(text) { reader throws(JSONError) in try reader.skipValue() }
            #expect(error?.description.contains("secret") == false)
            #expect(error?.description.contains("12345") == false)
        }
    }

    @Test("Nesting up to the limit is accepted and one level more is refused")
    func depth() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let perLevel = open.hasPrefix("[{") ? 2 : 1
            for limit in [2, 10, 64, 128] {
                let limits = JSONLimits(maximumDepth: limit)
                let fits = nested(limit / perLevel, open, close)
                let deeper = nested(limit / perLevel + 1, open, close)
                #expect(code(ofSkipping: fits, limits: limits) == nil)
                #expect(code(ofParsing: fits, limits: limits) == nil)
                #expect(code(ofSkipping: deeper, limits: limits) == .tooDeep(limit: limit))
                #expect(code(ofTokens: deeper, limits: limits) == .tooDeep(limit: limit))
                #expect(code(ofParsing: deeper, limits: limits) == .tooDeep(limit: limit))
            }
        }
        #expect(code(ofSkipping: Array(repeating: UInt8(ascii: "["), count: 1_000_000)) == .tooDeep(limit: 128))
    }

    @Test("A document up to the size limit is accepted and one byte more is refused")
    func size() {
        let limits = JSONLimits(maximumBytes: 5)
        #expect(code(ofSkipping: Array("[1,2]".utf8), limits: limits) == nil)
        #expect(code(ofSkipping: Array("[1,2] ".utf8), limits: limits) == .documentTooLong(limit: 5))
        #expect(code(ofTokens: Array("[1,2] ".utf8), limits: limits) == .documentTooLong(limit: 5))
    }

    @Test("A number up to the length limit is accepted and one byte more is refused")
    func numberLength() {
        let limits = JSONLimits(maximumNumberBytes: 4)
        #expect(code(ofSkipping: Array("[-1.5]".utf8), limits: limits) == nil)
        #expect(code(ofSkipping: Array("[-1.25]".utf8), limits: limits) == .numberTooLong(limit: 4))
    }
}
