import Testing
import TidelogGraphQL
import TidelogGraphQLExecution

@Suite("Grammar vectors, October 2021")
struct VectorTests {
    @Test("Valid vectors parse and print to an equal document, and invalid ones are refused at the stated place")
    func verdicts() throws {
        for vector in try Vector.all() {
            let (document, error) = parse(vector.document)
            let verdict = error.map { Vector.Verdict.refused(at: $0.location.description) } ?? .accepted
            #expect(verdict == vector.verdict, "\(vector)")
            guard let document else { continue }
            #expect(try survivesPrinting(document), "\(vector)")
            #expect(document.span == SourceSpan(start: 0, end: vector.document.count))
        }
    }

    @Test("Documents that a vector states to be equal parse to the same nodes, except for spans and kinds of string")
    func meanings() throws {
        for vector in try Vector.all() where !vector.equals.isEmpty {
            let meaning = try meaning(vector.document)
            for other in vector.equals {
                #expect(try self.meaning(other) == meaning, "\(vector)")
            }
        }
    }

    private func meaning(_ document: [UInt8]) throws -> String {
        try shape(of: Document(parsing: document)).replacing("isBlock:true", with: "isBlock:false")
    }

    @Test("There are more than 1,400 different vectors, and graphql-core disagrees on fewer than 20")
    func extent() throws {
        let vectors = try Vector.all()
        #expect(vectors.count > 1400)
        #expect(vectors.filter { $0.verdict == .accepted }.count > 500)
        let twice = Dictionary(grouping: vectors, by: \.document).values.filter { $0.count > 1 }
        #expect(twice.isEmpty, "\(twice)")
        let disputed = vectors.filter { ($0.verdict == .accepted) != ($0.secondVerdict == .accepted) }
        #expect(disputed.count < 20)
    }

    @Test("The notation of vectors is read as described, and malformed lines are refused")
    func notation() throws {
        let text = "# c\n+ {␠a }⟨0D 0A⟩\n= x\n\n- 1:2 ⟨⟩\n- 1:2|3:4 é ␉\n- 1:2|accepted ␊\n+|refused ␍"
        let vectors = try Vector.read(text, from: "f")
        #expect(vectors.map(\.line) == [2, 5, 6, 7, 8])
        #expect(vectors.map(\.document) == [Array("{ a }\r\n".utf8), [], Array("é \t".utf8), [0x0A], [0x0D]])
        #expect(vectors.map(\.equals) == [[Array("x".utf8)], [], [], [], []])
        let ours: [Vector.Verdict] = [
            .accepted, .refused(at: "1:2"), .refused(at: "1:2"), .refused(at: "1:2"), .accepted,
        ]
        #expect(vectors.map(\.verdict) == ours)
        let second: [Vector.Verdict] = [
            .accepted, .refused(at: "1:2"), .refused(at: "3:4"), .accepted, .refused(at: nil),
        ]
        #expect(vectors.map(\.secondVerdict) == second)
        for line in ["{ a }", "+", "- { a }", "- 1:2", "= x", "- 1 x", "+ ⟨0⟩", "+ ⟨", "- 1:2|x y", "+|accepted x"] {
            #expect(throws: Vector.Malformed.self, "\(line)") { try Vector.read(line, from: "f") }
        }
    }
}
