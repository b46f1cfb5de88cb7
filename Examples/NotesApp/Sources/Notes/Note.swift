import Tidelog

/// A note. The app uses this type, and the store saves it.
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

    /// Writes the fields in the order in which the schema declares them.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        if let rating { row.encode(rating) } else { row.encodeMissing() }
    }

    /// Reads the fields in the same order.
    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        title = try row.decode(String.self)
        rating = try row.decodeIfPresent(Int.self)
    }
}
