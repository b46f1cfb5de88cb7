import FaultHarness
import Foundation
import TidelogGraphQL
import TidelogGraphQLExecution

/// Checks many documents at once with another implementation of the grammar, graphql-core for Python.
enum SecondOpinion {
    private static let python = Checkout.root.appending(path: ".build/graphql-second-opinion/bin/python")
    private static let scripts = Checkout.root.appending(path: "Tests/Support/GraphQLSecondOpinion")

    /// Whether `scripts/shared/graphql-second-opinion` has installed graphql-core.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    /// The answer of graphql-core about one document.
    struct Answer: Decodable {
        /// Whether graphql-core accepts the document.
        let accepts: Bool
        /// Whether graphql-core reads the same from the document and from the text that we print for it; `nil` if we print
        /// none.
        let same: Bool?
        /// The place where graphql-core stops, as `line:column`; `nil` if it cannot decode the bytes.
        let place: String?
        /// The error message.
        let message: String?
    }

    /// The Python program failed, or did not answer every question.
    struct Failure: Error {
        let status: Int32
        let answers: Int
        var errors = ""
    }

    private struct Question: Encodable {
        let document: Data
        let printed: String?
    }

    /// The answers about the documents, in order. Each document comes with the result of our parser, if it is valid.
    static func answers(about cases: [(document: [UInt8], parsed: Document?)]) throws -> [Answer] {
        let encoder = JSONEncoder()
        var text = ""
        for (document, parsed) in cases {
            let question = Question(document: Data(document), printed: parsed?.printed())
            text += String(decoding: try encoder.encode(question), as: UTF8.self) + "\n"
        }
        let lines = try run("judge.py", text)
        guard lines.count == cases.count else { throw Failure(status: 0, answers: lines.count) }
        let decoder = JSONDecoder()
        return try lines.map { try decoder.decode(Answer.self, from: $0) }
    }

    /// Runs a script with lines of questions, and returns its lines of answers.
    static func run(_ script: String, _ questions: String) throws -> [Data] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidelog-opinion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appending(path: "questions")
        let output = folder.appending(path: "answers")
        try Data(questions.utf8).write(to: input)
        let path = scripts.appending(path: script).path
        let (status, errors) = try Program.run(
            "sh", ["-c", "\"$0\" -I \"$1\" < \"$2\" > \"$3\"", python.path, path, input.path, output.path])
        let lines = try Data(contentsOf: output).split(separator: UInt8(ascii: "\n"))
        guard status == 0 else { throw Failure(status: status, answers: lines.count, errors: errors) }
        return lines
    }
}
