import Tidelog

/// A note. The app uses this type, and the store saves it.
struct Note: Model, Codable, Equatable {
    var id: String
    var title: String
    var rating: Int?
}

extension Note {
    /// The model. Its index serves conditions on the rating and sorts by the rating.
    static let schema = ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int),
        ],
        indexes: [IndexSchema(name: "byRating", fields: ["rating"])])

    /// The fields, for predicates and sorts that the compiler checks.
    enum keys {
        static let title = Field<Note, String>("title")
        static let rating = Field<Note, Int>("rating")
    }
}
