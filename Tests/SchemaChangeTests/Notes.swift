import TestStores
import Tidelog

/// A later version of ``Note`` with two more fields. `stars` is between the old fields, and it is required and has a
/// default. `state` is an enum.
struct Note2: Model, Equatable {
    var id: String
    var stars: Int
    var title: String
    var rating: Int?
    var state: String?

    static let schema = ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true),
            FieldSchema("stars", .int, isRequired: true, defaultValue: .int(3)),
            FieldSchema("title", .string, isRequired: true), FieldSchema("rating", .int),
            FieldSchema("state", .enumeration("State")),
        ],
        indexes: [
            IndexSchema(name: "byRating", fields: ["rating"]),
            IndexSchema(name: "byStars", fields: ["stars", "title"]),
        ])

    static let all = Schema(models: [schema], enums: [EnumSchema(name: "State", cases: ["open", "done"])])

    init(_ id: String, _ stars: Int, _ title: String, _ rating: Int? = nil, _ state: String? = nil) {
        self.id = id
        self.stars = stars
        self.title = title
        self.rating = rating
        self.state = state
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(stars)
        row.encode(title)
        if let rating { row.encode(rating) } else { row.encodeMissing() }
        if let state { row.encode(state) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        stars = try row.decode(Int.self)
        title = try row.decode(String.self)
        rating = try row.decodeIfPresent(Int.self)
        state = try row.decodeIfPresent(String.self)
    }
}
