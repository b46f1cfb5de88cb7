import Testing
import TidelogGraphQL
import TidelogGraphQLExecution

@Suite(
    "Documents compared with graphql-core",
    .enabled(
        if: SecondOpinion.isInstalled,
        "graphql-core is not installed; scripts/shared/graphql-second-opinion installs it where there is Python"))
struct SecondOpinionTests {
    @Test("graphql-core agrees with each vector's verdict, place of the error, and equal documents")
    func vectors() throws {
        let vectors = try Vector.all()
        let answers = try SecondOpinion.answers(about: vectors.map { ($0.document, parse($0.document).document) })
        for (vector, answer) in zip(vectors, answers) {
            if answer.accepts {
                #expect(vector.secondVerdict == .accepted, "\(vector)")
                #expect(answer.same == (vector.verdict == .accepted ? true : nil), "\(vector)")
            } else if case .refused(let place?) = vector.secondVerdict {
                // graphql-core gives no place if the bytes are not UTF-8.
                #expect(answer.place == nil || answer.place == place, "\(vector)")
            } else {
                #expect(vector.secondVerdict == .refused(at: nil), "\(vector)")
            }
        }
        // If two documents mean the same, graphql-core must read the same from the first one and from our text of the second.
        let equals = vectors.flatMap { vector in vector.equals.map { (vector, $0) } }
        let equalAnswers = try SecondOpinion.answers(about: equals.map { ($0.document, parse($1).document) })
        for ((vector, _), answer) in zip(equals, equalAnswers) {
            #expect(answer.same == true, "\(vector)")
        }
    }

    @Test("graphql-core accepts the same files of the repository, and reads the same from their printed text")
    func schemas() throws {
        let files = Checkout.graphQLFiles()
        #expect(!files.isEmpty)
        let answers = try SecondOpinion.answers(about: files.map { ($0.bytes, parse($0.bytes).document) })
        for (file, answer) in zip(files, answers) {
            let isValid = parse(file.bytes).document != nil
            #expect(answer.accepts == isValid && answer.same != false, "\(file.path): \(answer)")
        }
    }

    @Test("graphql-core accepts the same mutants, reads the same from their printed text, and stops at the same place")
    func mutants() throws {
        var mutator = Mutator(seed: 11)
        let documents = (0..<Mutator.count(standard: 5000)).map { _ in mutator.next() }
        let verdicts = documents.map { parse($0) }
        let answers = try SecondOpinion.answers(about: zip(documents, verdicts).map { ($0, $1.document) })
        for ((document, verdict), answer) in zip(zip(documents, verdicts), answers) {
            func details() -> Comment { "\(String(decoding: document, as: UTF8.self).debugDescription) \(answer)" }
            if answer.accepts, verdict.document != nil {
                #expect(answer.same == true, details())
            } else if answer.accepts || verdict.document != nil {
                #expect(isDisputed(verdict.error, answer), details())
            } else if let error = verdict.error, let place = answer.place, place != error.location.description {
                #expect(isElsewhere(error, answer), details())
            }
        }
    }

    /// Whether the README of the vectors explains why only one of the two parsers accepts the document.
    private func isDisputed(_ error: GraphQLSyntaxError?, _ answer: SecondOpinion.Answer) -> Bool {
        guard let error else { return hasLongEscape(answer) }
        return isStricter(error)
    }

    /// Whether the README of the vectors explains why the two parsers stop at different places.
    private func isElsewhere(_ error: GraphQLSyntaxError, _ answer: SecondOpinion.Answer) -> Bool {
        guard !isStricter(error), !hasLongEscape(answer) else { return true }
        let message = answer.message ?? ""
        if message.contains("Unexpected description") { return error.message.hasPrefix("expected a definition") }
        let isLexical = message.contains(/: (Unexpected character|Invalid|Unterminated)/)
        return isLexical && isBefore(error, answer)
    }

    private func isStricter(_ error: GraphQLSyntaxError) -> Bool {
        error.message.hasPrefix("the control character ") || error.message.hasPrefix("nested deeper than ")
    }

    private func hasLongEscape(_ answer: SecondOpinion.Answer) -> Bool {
        answer.message?.contains(/Invalid Unicode escape sequence: .*u\{[0-9A-Fa-f]{9}/) == true
    }

    private func isBefore(_ error: GraphQLSyntaxError, _ answer: SecondOpinion.Answer) -> Bool {
        let place = answer.place?.split(separator: ":").compactMap { Int($0) } ?? []
        return place.count == 2 && (error.location.line, error.location.column) < (place[0], place[1])
    }
}
