import Tidelog

/// The models of a blog, with every kind of relation. They are written by hand in the form of generated models.
enum Blog {
    static let schema = Schema(models: [
        Author.schema, Profile.schema, Post.schema, Comment.schema, Tag.schema, PostTags.schema, Category.schema,
    ])
}

struct Author: Model, Hashable, Identifiable {
    let id: String
    var name: String
    private var postsRelation = LazyRelation<Post>()
    private var profileRelation = LazyRelation<Profile>()

    init(id: String, name: String = "") {
        self.id = id
        self.name = name
    }

    var posts: RelatedRecords<Post> { postsRelation.many(of: self, Self.keys.posts) }
    var profile: Profile? { get async throws { try await profileRelation.one(of: self, Self.keys.profile) } }

    struct Keys: Sendable {
        let id = Field<Author, String>("id")
        let name = Field<Author, String>("name")
        let posts = Relation<Author, Post>("posts") { $0.postsRelation = $1 }
        let profile = Relation<Author, Profile>("profile") { $0.profileRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Author",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true)],
        associations: [
            Association(
                name: "posts", kind: .hasMany, target: "Post", fields: ["id"], indexOrRelationName: "byAuthor"),
            Association(
                name: "profile", kind: .hasOne, target: "Profile", fields: ["id"], indexOrRelationName: "byAuthor"),
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        name = try row.decode(String.self)
        postsRelation = row.lazyRelation()
        profileRelation = LazyRelation(from: row)
    }
}

/// A profile belongs to an author, and the author has at most one profile.
struct Profile: Model, Hashable, Identifiable {
    let id: String
    var text: String
    var authorID: String?
    private var authorRelation = LazyRelation<Author>()

    init(id: String, text: String = "", authorID: String? = nil) {
        self.id = id
        self.text = text
        self.authorID = authorID
    }

    var author: Author? { get async throws { try await authorRelation.one(of: self, Self.keys.author) } }

    struct Keys: Sendable {
        let text = Field<Profile, String>("text")
        let author = Relation<Profile, Author>("author") { $0.authorRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Profile",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string, isRequired: true),
            FieldSchema("authorID", .id),
        ],
        indexes: [IndexSchema(name: "byAuthor", fields: ["authorID"])],
        associations: [Association(name: "author", kind: .belongsTo, target: "Author", fields: ["authorID"])])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(text)
        if let authorID { row.encode(authorID) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        text = try row.decode(String.self)
        authorID = try row.decodeIfPresent(String.self)
        authorRelation = row.lazyRelation()
    }
}

/// The key of a post has two fields, one of which is a number.
struct Post: Model, Hashable {
    let slug: String
    let year: Int
    var title: String?
    var rating: Int?
    var authorID: String?
    private var authorRelation = LazyRelation<Author>()
    private var commentsRelation = LazyRelation<Comment>()
    private var tagsRelation = LazyRelation<Tag>()

    init(_ slug: String, _ year: Int, title: String? = nil, rating: Int? = nil, authorID: String? = nil) {
        self.slug = slug
        self.year = year
        self.title = title
        self.rating = rating
        self.authorID = authorID
    }

    var modelID: ModelID<Post> { ModelID([.string(slug), .int(Int64(year))]) }
    var author: Author? { get async throws { try await authorRelation.one(of: self, Self.keys.author) } }
    mutating func setAuthor(_ author: Author?) {
        authorID = author?.id
        authorRelation = LazyRelation(author)
    }
    var comments: RelatedRecords<Comment> { commentsRelation.many(of: self, Self.keys.comments) }
    var tags: RelatedRecords<Tag> { tagsRelation.many(of: self, Self.keys.tags) }

    struct Keys: Sendable {
        let slug = Field<Post, String>("slug")
        let year = Field<Post, Int>("year")
        let title = Field<Post, String>("title")
        let rating = Field<Post, Int>("rating")
        let author = Relation<Post, Author>("author") { $0.authorRelation = $1 }
        let comments = Relation<Post, Comment>("comments") { $0.commentsRelation = $1 }
        let tags = Relation<Post, Tag>("tags") { $0.tagsRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Post",
        fields: [
            FieldSchema("slug", .id, isRequired: true), FieldSchema("year", .int, isRequired: true),
            FieldSchema("title", .string), FieldSchema("rating", .int), FieldSchema("authorID", .id),
        ],
        primaryKey: ["slug", "year"],
        indexes: [IndexSchema(name: "byAuthor", fields: ["authorID"])],
        associations: [
            Association(name: "author", kind: .belongsTo, target: "Author", fields: ["authorID"]),
            Association(
                name: "comments", kind: .hasMany, target: "Comment", fields: ["slug", "year"],
                indexOrRelationName: "byPost"),
            Association(name: "tags", kind: .manyToMany, target: "Tag", indexOrRelationName: "PostTags"),
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(slug)
        row.encode(year)
        if let title { row.encode(title) } else { row.encodeMissing() }
        if let rating { row.encode(rating) } else { row.encodeMissing() }
        if let authorID { row.encode(authorID) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        slug = try row.decode(String.self)
        year = try row.decode(Int.self)
        title = try row.decodeIfPresent(String.self)
        rating = try row.decodeIfPresent(Int.self)
        authorID = try row.decodeIfPresent(String.self)
        authorRelation = row.lazyRelation()
        commentsRelation = row.lazyRelation()
        tagsRelation = row.lazyRelation()
    }
}

/// A comment requires a post. The index of the relation has a further field after the key of the post.
struct Comment: Model, Hashable, Identifiable {
    let id: String
    var content: String?
    var place: Int
    var postSlug: String?
    var postYear: Int?
    private var postRelation = LazyRelation<Post>()

    init(id: String, content: String? = nil, place: Int = 0, post: (slug: String, year: Int)? = nil) {
        self.id = id
        self.content = content
        self.place = place
        postSlug = post?.slug
        postYear = post?.year
    }

    var post: Post { get async throws { try await postRelation.required(of: self, Self.keys.post) } }

    struct Keys: Sendable {
        let content = Field<Comment, String>("content")
        let place = Field<Comment, Int>("place")
        let post = Relation<Comment, Post>("post") { $0.postRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Comment",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("content", .string),
            FieldSchema("place", .int, isRequired: true), FieldSchema("postSlug", .id), FieldSchema("postYear", .int),
        ],
        indexes: [IndexSchema(name: "byPost", fields: ["postSlug", "postYear", "place"])],
        associations: [
            Association(
                name: "post", kind: .belongsTo, target: "Post", fields: ["postSlug", "postYear"], isRequired: true)
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let content { row.encode(content) } else { row.encodeMissing() }
        row.encode(place)
        if let postSlug { row.encode(postSlug) } else { row.encodeMissing() }
        if let postYear { row.encode(postYear) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        content = try row.decodeIfPresent(String.self)
        place = try row.decode(Int.self)
        postSlug = try row.decodeIfPresent(String.self)
        postYear = try row.decodeIfPresent(Int.self)
        postRelation = row.lazyRelation()
    }
}

struct Tag: Model, Hashable, Identifiable {
    let id: String
    var name: String
    private var postsRelation = LazyRelation<Post>()

    init(id: String, name: String = "") {
        self.id = id
        self.name = name
    }

    var posts: RelatedRecords<Post> { postsRelation.many(of: self, Self.keys.posts) }

    struct Keys: Sendable {
        /// This field has the name that a property of a relation could have.
        let name = Field<Tag, String>("name")
        let posts = Relation<Tag, Post>("posts") { $0.postsRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Tag",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true)],
        associations: [
            Association(name: "posts", kind: .manyToMany, target: "Post", indexOrRelationName: "PostTags")
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        name = try row.decode(String.self)
        postsRelation = row.lazyRelation()
    }
}

/// Joins posts and tags.
struct PostTags: Model, Hashable, Identifiable {
    let id: String
    var postSlug: String
    var postYear: Int
    var tagID: String

    init(id: String, post: (slug: String, year: Int), tagID: String) {
        self.id = id
        (postSlug, postYear) = post
        self.tagID = tagID
    }

    static let schema = ModelSchema(
        name: "PostTags",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("postSlug", .id, isRequired: true),
            FieldSchema("postYear", .int, isRequired: true), FieldSchema("tagID", .id, isRequired: true),
        ],
        indexes: [
            IndexSchema(name: "byPost", fields: ["postSlug", "postYear"]),
            IndexSchema(name: "byTag", fields: ["tagID"]),
        ],
        associations: [
            Association(
                name: "post", kind: .belongsTo, target: "Post", fields: ["postSlug", "postYear"], isRequired: true),
            Association(name: "tag", kind: .belongsTo, target: "Tag", fields: ["tagID"], isRequired: true),
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(postSlug)
        row.encode(postYear)
        row.encode(tagID)
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        postSlug = try row.decode(String.self)
        postYear = try row.decode(Int.self)
        tagID = try row.decode(String.self)
    }
}

/// A category may belong to another category.
struct Category: Model, Hashable, Identifiable {
    let id: String
    var parentID: String?
    private var parentRelation = LazyRelation<Category>()
    private var childrenRelation = LazyRelation<Category>()

    init(id: String, parentID: String? = nil) {
        self.id = id
        self.parentID = parentID
    }

    var parent: Category? { get async throws { try await parentRelation.one(of: self, Self.keys.parent) } }
    mutating func setParent(_ parent: Category?) {
        parentID = parent?.id
        parentRelation = LazyRelation(parent)
    }
    mutating func setChildren(_ children: [Category]) { childrenRelation = LazyRelation(children) }
    var children: RelatedRecords<Category> { childrenRelation.many(of: self, Self.keys.children) }

    struct Keys: Sendable {
        let id = Field<Category, String>("id")
        let parent = Relation<Category, Category>("parent") { $0.parentRelation = $1 }
        let children = Relation<Category, Category>("children") { $0.childrenRelation = $1 }
    }
    static let keys = Keys()

    static let schema = ModelSchema(
        name: "Category",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("parentID", .id)],
        indexes: [IndexSchema(name: "byParent", fields: ["parentID"])],
        associations: [
            Association(
                name: "children", kind: .hasMany, target: "Category", fields: ["id"], indexOrRelationName: "byParent"),
            Association(name: "parent", kind: .belongsTo, target: "Category", fields: ["parentID"]),
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let parentID { row.encode(parentID) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        parentID = try row.decodeIfPresent(String.self)
        parentRelation = row.lazyRelation()
        childrenRelation = row.lazyRelation()
    }
}
