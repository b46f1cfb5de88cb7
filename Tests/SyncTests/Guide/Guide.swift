import Foundation
import ServerSupport
import Tidelog

/// The code that `docs/SYNC.md` and the README show. `GuideTests` runs it against a server.
enum Guide {
    /// A note of the app in the guide.
    struct Note: Model, Equatable {
        var id: String
        var title: String
        var rating: Int?

        init(id: String, title: String, rating: Int? = nil) {
            self.id = id
            self.title = title
            self.rating = rating
        }
    }

    /// The screen of the app in the guide.
    actor Screen {
        private(set) var fraction = 0.0
        private(set) var text = ""
        private(set) var lines: [String] = []
        private let answer: Bool

        /// - Parameter answer: The person's answer to each question.
        init(answer: Bool = true) { self.answer = answer }

        func show(fraction: Double, text: String) { (self.fraction, self.text) = (fraction, text) }

        func add(_ line: String) { lines.append(line) }

        func asks(_ question: String) -> Bool {
            lines.append(question)
            return answer
        }
    }
}

extension Guide.Note {
    static let schema = ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int),
        ])

    enum keys {
        static let title = Field<Guide.Note, String>("title")
        static let rating = Field<Guide.Note, Int>("rating")
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        if let rating { row.encode(rating) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        title = try row.decode(String.self)
        rating = try row.decodeIfPresent(Int.self)
    }
}

/// The account of the app in the guide.
actor Account {
    private(set) var session: UserSession?

    init(_ session: UserSession?) { self.session = session }

    func signIn(_ session: UserSession?) { self.session = session }
}
