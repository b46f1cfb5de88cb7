import FaultHarness
import Foundation
import TidelogGraphQL

/// Another implementation of the grammar, graphql-core for Python, asked about many documents at once.
enum SecondOpinion {
    private static let python = Checkout.root.appending(path: ".build/graphql-second-opinion/bin/python")
    private static let scripts = Checkout.root.appending(path: "Tests/Support/GraphQLSecondOpinion")

    /// Whether `scripts/shared/graphql-second-opinion` has installed it.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    /// What it says of one document.
    struct Answer: Decodable {
        /// Whether it takes the document.
        let accepts: Bool
        /// Whether it reads the same from the document and from what we print of it; nil if we print nothing.
        let same: Bool?
        /// Where it stops, as `line:column`; nil if it cannot even decode the bytes.
        let place: String?
        /// Why.
        let message: String?
    }

    /// The judge did not do its work.
    struct Failure: Error {
        let status: Int32
        let answers: Int
        var errors = ""
    }

    private struct Question: Encodable {
        let document: Data
        let printed: String?
    }

    /// Its answers about documents, of each with our parse of it, in order.
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

    /// The lines that a script answers to lines of questions.
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
