import Testing

/// Swift 6.3.1 compiles some returned tuples wrongly with `-O`. If a closure of a task returns `(index, try await answer())`
/// inside `do`, and it returns another tuple in `catch` or after it, then the first element is that of another call. Debug
/// builds are right, and a tuple is right if its values were awaited before. Remove this rule when the oldest compiler that
/// the package supports compiles `Self.fault` correctly.
@Suite("Tuples that functions and closures return")
struct ReturnedTupleTests {
    /// The shape that the compiler gets wrong. Its last line can be anywhere outside the tuple.
    private static let fault = """
        group.addTask {
            do {
                return (index, .success(try await server.record(reference)))
            } catch let refusal as Refusal {
                return (index, .failure(refusal))
            }
        }
        """

    @Test("no returned tuple awaits one of its elements: the values are awaited before")
    func tuples() {
        var findings: [String] = []
        for file in Repository.files(".swift") where file.text.contains("return (") {
            for line in Self.lines(in: file.codeLines.joined(separator: "\n")) {
                findings.append(file.place(line, "await the value before the tuple, not inside it"))
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("the rule finds a tuple that awaits, on one line or on several, and no other return")
    func samples() {
        #expect(Self.lines(in: Self.fault) == [2])
        #expect(Self.lines(in: "return (\n    try await first(),\n    second)\n") == [0])
        #expect(Self.lines(in: "let x = 1\nreturn (a, b: try await c(d, e))") == [1])
        #expect(Self.lines(in: "return (try await first())") == [])
        #expect(Self.lines(in: "return (try await pair(1, 2))") == [])
        #expect(Self.lines(in: "return (index, .success(record))") == [])
        #expect(Self.lines(in: "return (a, awaited)") == [])
        #expect(Self.lines(in: "return try await record(a, b)") == [])
        #expect(Self.lines(in: "returned(a, await b())") == [])
    }

    /// The lines on which a returned tuple with an `await` begins, in `code` without comments and texts.
    private static func lines(in code: String) -> [Int] {
        let bytes = Array(code.utf8)
        return code.utf8.indices(ofWord: "return").compactMap { start in
            let open = bytes[start...].dropFirst(6).firstIndex { $0 != UInt8(ascii: " ") }
            guard let open, bytes[open] == UInt8(ascii: "("), awaitsInTuple(bytes[open...]) else { return nil }
            return bytes[..<start].count { $0 == UInt8(ascii: "\n") }
        }
    }

    /// Whether the parenthesis that `code` begins with encloses several elements and an `await`.
    private static func awaitsInTuple(_ code: ArraySlice<UInt8>) -> Bool {
        var depth = 0
        var hasComma = false
        for (index, byte) in zip(code.indices, code) {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 1: hasComma = true
            default: break
            }
            guard depth == 0 else { continue }
            let elements = String(decoding: code[code.startIndex..<index], as: UTF8.self)
            return hasComma && !elements.utf8.indices(ofWord: "await").isEmpty
        }
        return false
    }
}

extension String.UTF8View {
    /// The offsets at which `word` stands alone.
    fileprivate func indices(ofWord word: String) -> [Int] {
        let bytes = Array(self)
        let letters = Array(word.utf8)
        guard bytes.count >= letters.count else { return [] }
        let isPart: (UInt8) -> Bool = { byte in
            Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || byte == UInt8(ascii: "_")
        }
        return (0...(bytes.count - letters.count)).filter { start in
            let end = start + letters.count
            return bytes[start] == letters[0] && bytes[start..<end].elementsEqual(letters)
                && (start == 0 || !isPart(bytes[start - 1])) && (end == bytes.count || !isPart(bytes[end]))
        }
    }
}
