import FaultHarness
import Foundation

/// Checks many schemas at once with another implementation of GraphQL's type system, graphql-core for Python.
enum SchemaOpinion {
    private static let python = Checkout.root.appending(path: ".build/graphql-second-opinion/bin/python")
    private static let judge = Checkout.root.appending(path: "Tests/Support/GraphQLSecondOpinion/schemas.py")

    /// Whether `scripts/shared/graphql-second-opinion` has installed graphql-core.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    struct Question: Encodable {
        let schema: String
        var expected: String?
    }

    struct Answer: Decodable {
        /// The errors in the schema.
        let errors: [String]
        /// The first line in which the sorted schema differs from the sorted expected schema.
        let difference: String?
    }

    /// The Python program failed, or did not answer every question.
    struct Failure: Error {
        let status: Int32
        let answers: Int
    }

    /// The answers, in the order of the questions.
    static func answers(to questions: [Question]) throws -> [Answer] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidelog-opinion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (asked, answered) = (folder.appending(path: "questions"), folder.appending(path: "answers"))
        var text = Data()
        for question in questions { text += try JSONEncoder().encode(question) + [UInt8(ascii: "\n")] }
        try text.write(to: asked)
        let (status, _) = try Program.run(
            "sh", ["-c", "\"$0\" -I \"$1\" < \"$2\" > \"$3\"", python.path, judge.path, asked.path, answered.path])
        let lines = try Data(contentsOf: answered).split(separator: UInt8(ascii: "\n"))
        guard status == 0, lines.count == questions.count else { throw Failure(status: status, answers: lines.count) }
        return try lines.map { try JSONDecoder().decode(Answer.self, from: $0) }
    }
}
