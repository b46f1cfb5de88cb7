// Generated from schema.graphql by tidelog. Changes are lost when it is generated again.
// swift-format-ignore-file
public import Tidelog

/// The record of all workloads: seven fields, about 230 bytes, one index.
public struct Post: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `title: String!` in the schema.
    public var title: String
    /// `content: String!` in the schema.
    public var content: String
    /// `rating: Int!` in the schema.
    public var rating: Int
    /// `status: String!` in the schema.
    public var status: String
    /// `createdAt: String!` in the schema.
    public var createdAt: String
    /// `updatedAt: String!` in the schema.
    public var updatedAt: String

    /// A record of these fields.
    public init(
        id: String = UUIDv7.next(), title: String, content: String, rating: Int, status: String, createdAt: String,
        updatedAt: String
    ) {
        self.id = id
        self.title = title
        self.content = content
        self.rating = rating
        self.status = status
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The records with this ``rating``, in the order of the index `byRating`.
    public static func byRating(rating: Int) -> Query<Post> {
        Query(where: Self.keys.rating == rating)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Post/id``
        public let id = Field<Post, String>("id")
        /// ``Post/title``
        public let title = Field<Post, String>("title")
        /// ``Post/content``
        public let content = Field<Post, String>("content")
        /// ``Post/rating``
        public let rating = Field<Post, Int>("rating")
        /// ``Post/status``
        public let status = Field<Post, String>("status")
        /// ``Post/createdAt``
        public let createdAt = Field<Post, String>("createdAt")
        /// ``Post/updatedAt``
        public let updatedAt = Field<Post, String>("updatedAt")
    }
    /// The fields and relations: `Post.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Post",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("content", .string, isRequired: true), FieldSchema("rating", .int, isRequired: true),
            FieldSchema("status", .string, isRequired: true), FieldSchema("createdAt", .string, isRequired: true),
            FieldSchema("updatedAt", .string, isRequired: true),
        ],
        indexes: [IndexSchema(name: "byRating", fields: ["rating"], queryField: "postsByRating")],
        directives: ["@model(timestamps: null)"],
        documentation: "The record of all workloads: seven fields, about 230 bytes, one index.")

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        row.encode(content)
        row.encode(rating)
        row.encode(status)
        row.encode(createdAt)
        row.encode(updatedAt)
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let title = try row.decode(String.self)
        let content = try row.decode(String.self)
        let rating = try row.decode(Int.self)
        let status = try row.decode(String.self)
        let createdAt = try row.decode(String.self)
        let updatedAt = try row.decode(String.self)
        self.id = id
        self.title = title
        self.content = content
        self.rating = rating
        self.status = status
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension Schema {
    /// All models of schema.graphql.
    public static let app = Schema(models: [Post.schema])
}
