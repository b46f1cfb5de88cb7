package import Tidelog

/// The model that most tests of the store use.
package struct Note: Model, Equatable {
    package var id: String
    package var title: String
    package var rating: Int?

    package static let schema = ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int),
        ],
        indexes: [IndexSchema(name: "byRating", fields: ["rating"])])

    package enum keys {
        package static let id = Field<Note, String>("id")
        package static let title = Field<Note, String>("title")
        package static let rating = Field<Note, Int>("rating")
    }

    package init(id: String, title: String, rating: Int? = nil) {
        self.id = id
        self.title = title
        self.rating = rating
    }

    package func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        if let rating { row.encode(rating) } else { row.encodeMissing() }
    }

    package init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        title = try row.decode(String.self)
        rating = try row.decodeIfPresent(Int.self)
    }
}

/// The schema with notes alone.
package let noteSchema = Schema(models: [Note.schema])
