import FaultHarness
import Foundation

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// Asks the second opinion, graphql-core, about many requests in one process.
struct RequestOpinion {
    /// An error in a form in which our errors and the errors of graphql-core are equal if they mean the same.
    struct Complaint: Hashable, CustomStringConvertible {
        let message: String
        let places: [String]
        let path: [String]

        var description: String { "\(message) at \(places.joined(separator: ", ")) in \(path.joined(separator: "."))" }
    }

    /// The outcome of a request.
    enum Outcome: Equatable {
        case skipped
        case invalid([Complaint])
        case refused([Complaint])
        case executed(data: String, errors: [Complaint])
        case introspected(differences: [String])
    }

    private var questions: [String] = []
    private var count = 0

    mutating func take(schema: String, isStrict: Bool) {
        questions.append("{\"schema\":\(JSONText.quoted(schema)),\"strict\":\(isStrict)}")
    }

    mutating func ask(_ request: RequestGenerator.Request) {
        count += 1
        questions.append(
            "{\"document\":\(JSONText.quoted(request.document)),"
                + "\"variables\":\(JSONText.quoted(JSONText.of(request.variables))),"
                + "\"operation\":\(request.operation.map(JSONText.quoted) ?? "null")}")
    }

    mutating func ask(introspection: ResponseValue) {
        count += 1
        questions.append("{\"introspection\":\(JSONText.quoted(JSONText.of(introspection)))}")
    }

    /// The introspection query that graphql-core itself uses.
    static func introspectionQuery() throws -> String {
        let lines = try SecondOpinion.run("execute.py", "{\"query\":\"introspection\"}\n")
        return try JSONDecoder().decode([String: String].self, from: lines.first ?? Data())["query"] ?? ""
    }

    // MARK: Answers

    private struct Answer: Decodable {
        let skipped: String?
        let invalid: [Problem]?
        let refused: [Problem]?
        let data: String?
        let errors: [Problem]?
        let differences: [String]?
    }

    private struct Problem: Decodable {
        let complaint: Complaint

        private enum Step: Decodable {
            case text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = .text(try (try? container.decode(String.self)) ?? "\(container.decode(Int.self))")
            }
        }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            let message = try list.decode(String.self)
            let places = try list.decode([String].self)
            let path = try list.decode([Step].self).map { if case .text(let text) = $0 { text } else { "" } }
            complaint = Complaint(message: message, places: places, path: path).normalized
        }
    }

    /// The outcomes of the requests, in order.
    func outcomes() throws -> [Outcome] {
        let decoder = JSONDecoder()
        let lines = try SecondOpinion.run("execute.py", questions.joined(separator: "\n") + "\n")
        guard lines.count == count else { throw SecondOpinion.Failure(status: 0, answers: lines.count) }
        return try lines.map { line in
            let answer = try decoder.decode(Answer.self, from: line)
            if answer.skipped != nil { return .skipped }
            if let differences = answer.differences { return .introspected(differences: differences) }
            if let invalid = answer.invalid { return .invalid(Complaint.comparable(invalid.map(\.complaint))) }
            if let refused = answer.refused { return .refused(refused.map(\.complaint).sorted()) }
            return .executed(data: answer.data ?? "", errors: (answer.errors ?? []).map(\.complaint).sorted())
        }
    }
}

extension RequestOpinion.Complaint {
    init(_ error: GraphQLError) {
        let path = error.path.map { element in
            switch element {
            case .field(let name): name
            case .index(let index): "\(index)"
            }
        }
        self.init(message: error.message, places: error.locations.map(\.description), path: path)
        self = normalized
    }

    /// The complaints in a fixed order. All circles of fragments count as one. If two fragments have one name, circles do not
    /// count.
    static func comparable(_ complaints: [Self]) -> [Self] {
        let circles = complaints.filter { $0.message == "A circle of fragments" }
        let isAmbiguous = complaints.contains { $0.message.hasPrefix("There can be only one fragment named") }
        return (complaints.filter { !circles.contains($0) } + circles.prefix(isAmbiguous ? 0 : 1)).sorted()
    }

    /// The complaint without quotation marks, suggestions, line ends and texts of values, in which the two implementations
    /// differ. The places are sorted.
    var normalized: Self {
        var text = message.replacing("'", with: "\"").replacing("\n", with: "")
        text.replace(/\ Did you mean .*$/, with: "")
        text.replace(/\ got invalid value .*?( at "[^"]*")?;/.dotMatchesNewlines()) {
            " got invalid value\($0.1 ?? "");"
        }
        text.replace(
            /(non-integer|non-string|signed integer|numeric|string|boolean|represent) value: .*/
                .dotMatchesNewlines()
        ) { "\($0.1) value" }
        text.replace(/may not be used on (.*)\./) {
            "may not be used on \($0.1.lowercased().replacing("_", with: " "))."
        }
        text.replace("non 64-bit", with: "non 32-bit")
        text.replace("not to be None.", with: "not to be null.")
        text.replace("to be a mapping.", with: "to be an object.")
        // The place of a circle depends on the order in which an implementation looks at the fragments. Long lists of conflicts
        // are cut off.
        if text.hasPrefix("Cannot spread fragment") {
            return Self(message: "A circle of fragments", places: [], path: [])
        }
        if text.utf8.count > 500 { return Self(message: String(text.prefix(500)), places: [], path: path) }
        return Self(message: text, places: places.sorted(), path: path)
    }
}

extension RequestOpinion.Complaint: Comparable {
    static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
