import Foundation
import SeededNumbers
import Testing
import TidelogJSON

@Suite("Splitting newline-delimited JSON")
struct JSONLineSplitterTests {
    private struct Line: Equatable {
        var text: String
        var line: Int
        var byteOffset: Int
    }

    /// The lines of `input`, which the splitter gets in pieces. `sizes` gives the size of each piece.
    private func lines(_ input: [UInt8], pieces sizes: () -> Int, limit: Int = 1 << 20) throws -> [Line] {
        var splitter = JSONLineSplitter(maximumLineBytes: limit)
        var lines: [Line] = []
        func take(_ line: JSONLineSplitter.Line) {
            #expect(line.position.column == 1)
            lines.append(
                Line(
                    text: String(decoding: line.bytes, as: UTF8.self), line: line.position.line,
                    byteOffset: line.position.byteOffset))
        }
        var rest = input[...]
        while !rest.isEmpty {
            let size = sizes()
            try splitter.append(Array(rest.prefix(size)), take)
            rest = rest.dropFirst(size)
        }
        try splitter.finish(take)
        return lines
    }

    private func lines(_ input: String, pieces size: Int = .max, limit: Int = 1 << 20) throws -> [Line] {
        try lines(Array(input.utf8), pieces: { size }, limit: limit)
    }

    @Test("Lines end with LF, with CRLF or with the input, and blank lines are counted but not given out")
    func ends() throws {
        let expected = [
            Line(text: "{\"a\":1}", line: 1, byteOffset: 0), Line(text: "[2]", line: 2, byteOffset: 8),
            Line(text: " 3 ", line: 6, byteOffset: 19), Line(text: "4\r5", line: 7, byteOffset: 24),
        ]
        let input = "{\"a\":1}\n[2]\r\n\n \t\n\r\n 3 \r\n4\r5"
        for size in 1...input.utf8.count { #expect(try lines(input, pieces: size) == expected) }
        for size in 1...input.utf8.count { #expect(try lines(input + "\r\n", pieces: size) == expected) }
        for size in 1...input.utf8.count { #expect(try lines(input + "\r", pieces: size) == expected) }
        #expect(try lines("").isEmpty)
        #expect(try lines("\n\n\r\n").isEmpty)
        #expect(try lines("1") == [Line(text: "1", line: 1, byteOffset: 0)])
    }

    @Test("The lines are the same for bytes that arrive in pieces of any length")
    func chunks() throws {
        var generator = SeededGenerator(11)
        for _ in 0..<500 {
            let symbols = Array("abé \n\n\r\t".utf8)
            let input = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
                symbols[Int.random(in: 0..<symbols.count, using: &generator)]
            }
            let whole = try lines(input, pieces: { .max })
            #expect(try lines(input, pieces: { Int.random(in: 1..<9, using: &generator) }) == whole)
            #expect(try lines(input, pieces: { 1 }) == whole)
        }
    }

    @Test(
        "A line up to the limit is accepted, and a longer one is refused with its number, for pieces of any length"
    )
    func limit() throws {
        for size in [1, 2, 3, 5, 100] {
            #expect(try lines("1234\r\n12345\r\n12345", pieces: size, limit: 5).count == 3)
            for input in ["1\n\n123456\n", "1\r\n\n123456", "1\n\n1234567890", "1\n\n12345\r6\n"] {
                let offset = input.utf8.starts(with: "1\r".utf8) ? 4 : 3
                let position = JSONPosition(byteOffset: offset, line: 3, column: 1)
                #expect(throws: JSONError(.lineTooLong(limit: 5), at: position), "\(input) by \(size)") {
                    try lines(input, pieces: size, limit: 5)
                }
            }
        }
    }

    @Test("A line longer than the limit is refused before its end arrives")
    func limitBeforeEnd() {
        var splitter = JSONLineSplitter(maximumLineBytes: 10)
        #expect(throws: JSONError.self) {
            for _ in 0..<12 { try splitter.append([0x31]) { _ in } }
        }
    }

    @Test("A reader of one line reports errors with their place in the whole input")
    func positions() throws {
        var splitter = JSONLineSplitter()
        var errors: [JSONError] = []
        let input = Array("{\"a\":1}\n\n[1,x]\n{}\n".utf8)
        for byte in input {
            try splitter.append([byte]) { line in
                var reader = JSONReader(line.bytes, origin: line.position)
                do throws(JSONError) {
                    try reader.skipValue()
                    try reader.expectEnd()
                } catch {
                    errors.append(error)
                }
            }
        }
        #expect(errors == [JSONError(.unexpectedByte(0x78), at: JSONPosition(byteOffset: 12, line: 3, column: 4))])
    }

    @Test("An error that the caller throws ends the splitting and arrives unchanged")
    func callerErrors() {
        struct Stop: Error, Equatable { var line: Int }
        var splitter = JSONLineSplitter()
        #expect(throws: Stop(line: 2)) {
            try splitter.append(Array("1\n2\n3\n".utf8)) { line in
                if line.position.line == 2 { throw Stop(line: 2) }
            }
        }
    }

    @Test("The world data is split, read and written back byte for byte")
    func worldData() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let input = [UInt8](try Data(contentsOf: root.appending(path: "Examples/World/countries.ndjson")))
        var splitter = JSONLineSplitter(maximumLineBytes: 1 << 16)
        var writer = JSONWriter()
        func copy(_ line: JSONLineSplitter.Line) throws {
            var reader = JSONReader(line.bytes, origin: line.position)
            let value = try JSONValue(reading: &reader)
            try reader.expectEnd()
            value.write(to: &writer)
            writer.endLine()
        }
        for start in stride(from: 0, to: input.count, by: 1_000) {
            try splitter.append(Array(input[start..<min(start + 1_000, input.count)]), copy)
        }
        try splitter.finish(copy)
        #expect(!input.isEmpty)
        #expect(writer.bytes == input)
    }
}
