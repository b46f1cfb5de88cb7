import Tidelog

/// The model that most tests of the store use.
struct Note: Model, Equatable {
    var id: String
    var title: String
    var rating: Int?

    static let schema = ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int),
        ],
        indexes: [IndexSchema(name: "byRating", fields: ["rating"])])

    enum keys {
        static let id = Field<Note, String>("id")
        static let title = Field<Note, String>("title")
        static let rating = Field<Note, Int>("rating")
    }

    init(id: String, title: String, rating: Int? = nil) {
        self.id = id
        self.title = title
        self.rating = rating
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

let noteSchema = Schema(models: [Note.schema])
