// Generated from blog.graphql by tidelog. Changes are lost when it is generated again.
// swift-format-ignore-file
public import Tidelog

/// A blog with posts.
public struct Blog: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// What it is called.
    public var name: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var postsRelation = LazyRelation<Post>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), name: String) {
        self.id = id
        self.name = name
    }

    /// The related records of `Post`, read when they are asked for.
    public var posts: RelatedRecords<Post> { postsRelation.many(of: self, Self.keys.posts) }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Blog/id``
        public let id = Field<Blog, String>("id")
        /// ``Blog/name``
        public let name = Field<Blog, String>("name")
        /// ``Blog/createdAt``
        public let createdAt = Field<Blog, Temporal.DateTime>("createdAt")
        /// ``Blog/updatedAt``
        public let updatedAt = Field<Blog, Temporal.DateTime>("updatedAt")
        /// ``Blog/posts``
        public let posts = Relation<Blog, Post>("posts") { $0.postsRelation = $1 }
    }
    /// The fields and relations: `Blog.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Blog",
        fields: [
            FieldSchema("id", .id, isRequired: true),
            FieldSchema("name", .string, isRequired: true, documentation: "What it is called."),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [
            Association(
                name: "posts", kind: .hasMany, target: "Post", fields: ["id"], indexOrRelationName: "byBlogPosts")
        ],
        documentation: "A blog with posts.")

    private enum CodingKeys: String, CodingKey { case id, name, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let name = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        postsRelation = row.lazyRelation()
    }
}

/// A post: what a blog is made of.
///
/// Its title begins with the blog's name.
public struct Post: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `title: String!` in the schema.
    public var title: String
    /// `rating: Int` in the schema.
    public var rating: Int?
    /// `status: PostStatus!` in the schema.
    public var status: PostStatus
    /// `link: AWSURL` in the schema.
    public var link: String?
    /// `keywords: [String!]!` in the schema.
    public var keywords: [String]
    /// `place: Location` in the schema.
    public var place: Location?
    /// `places: [Location]` in the schema.
    public var places: [Location?]?
    /// `blogPostsId: ID` in the schema. It holds the key of ``blog``.
    public var blogPostsId: String?
    /// `postSummaryId: ID` in the schema. It holds the key of ``summary``.
    public var postSummaryId: String?
    /// `authorPostsId: ID` in the schema. It holds the key of ``author``.
    public var authorPostsId: String?
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var blogRelation = LazyRelation<Blog>()
    private var commentsRelation = LazyRelation<Comment>()
    private var tagsRelation = LazyRelation<Tag>()
    private var authorRelation = LazyRelation<Author>()
    private var summaryRelation = LazyRelation<Summary>()

    /// A record of these fields.
    public init(
        id: String = UUIDv7.next(), title: String, rating: Int? = 3, status: PostStatus = .inReview,
        link: String? = nil, keywords: [String], place: Location? = nil, places: [Location?]? = nil,
        blogPostsId: String? = nil, postSummaryId: String? = nil, authorPostsId: String? = nil
    ) {
        self.id = id
        self.title = title
        self.rating = rating
        self.status = status
        self.link = link
        self.keywords = keywords
        self.place = place
        self.places = places
        self.blogPostsId = blogPostsId
        self.postSummaryId = postSummaryId
        self.authorPostsId = authorPostsId
    }

    /// A record that refers to these records.
    public init(
        id: String = UUIDv7.next(), title: String, rating: Int? = 3, status: PostStatus = .inReview,
        link: String? = nil, keywords: [String], place: Location? = nil, places: [Location?]? = nil, blog: Blog?,
        author: Author, summary: Summary?
    ) {
        self.init(
            id: id, title: title, rating: rating, status: status, link: link, keywords: keywords, place: place,
            places: places, blogPostsId: blog?.id, postSummaryId: summary?.id, authorPostsId: author.id)
        blogRelation = LazyRelation(blog)
        authorRelation = LazyRelation(author)
        summaryRelation = LazyRelation(summary)
    }

    /// The related record of `Blog`, read when it is asked for; `nil` where there is none.
    public var blog: Blog? { get async throws { try await blogRelation.one(of: self, Self.keys.blog) } }
    /// Refers to `blog` from now on; `nil` to none.
    public mutating func setBlog(_ blog: Blog?) {
        blogPostsId = blog?.id
        blogRelation = LazyRelation(blog)
    }

    /// The related records of `Comment`, read when they are asked for.
    public var comments: RelatedRecords<Comment> { commentsRelation.many(of: self, Self.keys.comments) }

    /// The related records of `Tag`, read when they are asked for.
    public var tags: RelatedRecords<Tag> { tagsRelation.many(of: self, Self.keys.tags) }

    /// The record of `Author` that this one refers to, read when it is asked for.
    public var author: Author { get async throws { try await authorRelation.required(of: self, Self.keys.author) } }
    /// Refers to `author` from now on.
    public mutating func setAuthor(_ author: Author) {
        authorPostsId = author.id
        authorRelation = LazyRelation(author)
    }

    /// The related record of `Summary`, read when it is asked for; `nil` where there is none.
    public var summary: Summary? { get async throws { try await summaryRelation.one(of: self, Self.keys.summary) } }
    /// Refers to `summary` from now on; `nil` to none.
    public mutating func setSummary(_ summary: Summary?) {
        postSummaryId = summary?.id
        summaryRelation = LazyRelation(summary)
    }

    /// The records with this ``blogPostsId``, in the order of the index `byBlogPosts`.
    public static func byBlogPosts(blogPostsId: String) -> Query<Post> {
        Query(where: Self.keys.blogPostsId == blogPostsId)
    }

    /// The records with this ``authorPostsId``, in the order of the index `byAuthorPosts`.
    public static func byAuthorPosts(authorPostsId: String) -> Query<Post> {
        Query(where: Self.keys.authorPostsId == authorPostsId)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Post/id``
        public let id = Field<Post, String>("id")
        /// ``Post/title``
        public let title = Field<Post, String>("title")
        /// ``Post/rating``
        public let rating = Field<Post, Int>("rating")
        /// ``Post/status``
        public let status = Field<Post, PostStatus>("status")
        /// ``Post/link``
        public let link = Field<Post, String>("link")
        /// ``Post/keywords``
        public let keywords = Field<Post, [String]>("keywords")
        /// ``Post/place``
        public let place = Field<Post, Location>("place")
        /// ``Post/places``
        public let places = Field<Post, [Location]>("places")
        /// ``Post/blogPostsId``
        public let blogPostsId = Field<Post, String>("blogPostsId")
        /// ``Post/postSummaryId``
        public let postSummaryId = Field<Post, String>("postSummaryId")
        /// ``Post/authorPostsId``
        public let authorPostsId = Field<Post, String>("authorPostsId")
        /// ``Post/createdAt``
        public let createdAt = Field<Post, Temporal.DateTime>("createdAt")
        /// ``Post/updatedAt``
        public let updatedAt = Field<Post, Temporal.DateTime>("updatedAt")
        /// ``Post/blog``
        public let blog = Relation<Post, Blog>("blog") { $0.blogRelation = $1 }
        /// ``Post/comments``
        public let comments = Relation<Post, Comment>("comments") { $0.commentsRelation = $1 }
        /// ``Post/tags``
        public let tags = Relation<Post, Tag>("tags") { $0.tagsRelation = $1 }
        /// ``Post/author``
        public let author = Relation<Post, Author>("author") { $0.authorRelation = $1 }
        /// ``Post/summary``
        public let summary = Relation<Post, Summary>("summary") { $0.summaryRelation = $1 }
    }
    /// The fields and relations: `Post.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Post",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int, defaultValue: .int(3)),
            FieldSchema("status", .enumeration("PostStatus"), isRequired: true, defaultValue: .string("IN_REVIEW")),
            FieldSchema("link", .string, scalar: "AWSURL"),
            FieldSchema("keywords", .list(.string, elementIsRequired: true), isRequired: true),
            FieldSchema("place", .embedded("Location")),
            FieldSchema("places", .list(.embedded("Location"), elementIsRequired: false)),
            FieldSchema("blogPostsId", .id), FieldSchema("postSummaryId", .id), FieldSchema("authorPostsId", .id),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(name: "byBlogPosts", fields: ["blogPostsId"]),
            IndexSchema(name: "byAuthorPosts", fields: ["authorPostsId"]),
        ],
        associations: [
            Association(name: "blog", kind: .belongsTo, target: "Blog", fields: ["blogPostsId"]),
            Association(
                name: "comments", kind: .hasMany, target: "Comment", fields: ["id"], indexOrRelationName: "byPost"),
            Association(name: "tags", kind: .manyToMany, target: "Tag", indexOrRelationName: "PostTags"),
            Association(
                name: "author", kind: .belongsTo, target: "Author", fields: ["authorPostsId"], isRequired: true),
            Association(name: "summary", kind: .hasOne, target: "Summary", fields: ["postSummaryId"]),
        ],
        documentation: "A post: what a blog is made of.\n\nIts title begins with the blog's name.")

    private enum CodingKeys: String, CodingKey {
        case id, title, rating, status, link, keywords, place, places, blogPostsId, postSummaryId, authorPostsId
        case createdAt, updatedAt
    }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        if let rating { row.encode(rating) } else { row.encodeMissing() }
        row.encode(status.rawValue)
        if let link { row.encode(link) } else { row.encodeMissing() }
        row.encodeList { list in
            for element in keywords { list.append(element) }
        }
        if let place { row.encodeEmbedded { place.encode(into: &$0) } } else { row.encodeMissing() }
        if let places {
            row.encodeList { list in
                for element in places {
                    if let element { list.appendEmbedded { element.encode(into: &$0) } } else { list.appendMissing() }
                }
            }
        } else {
            row.encodeMissing()
        }
        if let blogPostsId { row.encode(blogPostsId) } else { row.encodeMissing() }
        if let postSummaryId { row.encode(postSummaryId) } else { row.encodeMissing() }
        if let authorPostsId { row.encode(authorPostsId) } else { row.encodeMissing() }
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let title = try row.decode(String.self)
        let rating = try row.decodeIfPresent(Int.self)
        let status = try PostStatus(rawValue: row.decode(String.self))
        let link = try row.decodeIfPresent(String.self)
        let keywords: [String] = try row.decodeList { (list) throws(RowDamage) in
            try list.all { (list) throws(RowDamage) in try list.next(String.self) }
        }
        let place = try row.decodeEmbeddedIfPresent(Location.init(from:))
        let places: [Location?]? = try row.decodeListIfPresent { (list) throws(RowDamage) in
            try list.allOrMissing { (list) throws(RowDamage) in try list.nextEmbedded(Location.init(from:)) }
        }
        let blogPostsId = try row.decodeIfPresent(String.self)
        let postSummaryId = try row.decodeIfPresent(String.self)
        let authorPostsId = try row.decodeIfPresent(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.title = title
        self.rating = rating
        self.status = status
        self.link = link
        self.keywords = keywords
        self.place = place
        self.places = places
        self.blogPostsId = blogPostsId
        self.postSummaryId = postSummaryId
        self.authorPostsId = authorPostsId
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        blogRelation = row.lazyRelation()
        commentsRelation = row.lazyRelation()
        tagsRelation = row.lazyRelation()
        authorRelation = row.lazyRelation()
        summaryRelation = row.lazyRelation()
    }
}

/// A record of the model `Author`.
public struct Author: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `name: String!` in the schema.
    public var name: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var postsRelation = LazyRelation<Post>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), name: String) {
        self.id = id
        self.name = name
    }

    /// The related records of `Post`, read when they are asked for.
    public var posts: RelatedRecords<Post> { postsRelation.many(of: self, Self.keys.posts) }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Author/id``
        public let id = Field<Author, String>("id")
        /// ``Author/name``
        public let name = Field<Author, String>("name")
        /// ``Author/createdAt``
        public let createdAt = Field<Author, Temporal.DateTime>("createdAt")
        /// ``Author/updatedAt``
        public let updatedAt = Field<Author, Temporal.DateTime>("updatedAt")
        /// ``Author/posts``
        public let posts = Relation<Author, Post>("posts") { $0.postsRelation = $1 }
    }
    /// The fields and relations: `Author.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Author",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [
            Association(
                name: "posts", kind: .hasMany, target: "Post", fields: ["id"], indexOrRelationName: "byAuthorPosts")
        ])

    private enum CodingKeys: String, CodingKey { case id, name, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let name = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        postsRelation = row.lazyRelation()
    }
}

/// A record of the model `Summary`.
public struct Summary: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `text: String!` in the schema.
    public var text: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), text: String) {
        self.id = id
        self.text = text
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Summary/id``
        public let id = Field<Summary, String>("id")
        /// ``Summary/text``
        public let text = Field<Summary, String>("text")
        /// ``Summary/createdAt``
        public let createdAt = Field<Summary, Temporal.DateTime>("createdAt")
        /// ``Summary/updatedAt``
        public let updatedAt = Field<Summary, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Summary.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Summary",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string, isRequired: true),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(text)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let text = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.text = text
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A record of the model `Comment`.
public struct Comment: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `postID: ID!` in the schema. It holds the key of ``post``.
    public var postID: String
    /// `writtenAt: AWSDateTime!` in the schema.
    public var writtenAt: Temporal.DateTime
    /// `rank: Int!` in the schema.
    public var rank: Int
    /// `content: String` in the schema.
    public var content: String?
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var postRelation = LazyRelation<Post>()

    /// A record of these fields.
    public init(
        id: String = UUIDv7.next(), postID: String, writtenAt: Temporal.DateTime, rank: Int, content: String? = nil
    ) {
        self.id = id
        self.postID = postID
        self.writtenAt = writtenAt
        self.rank = rank
        self.content = content
    }

    /// A record that refers to these records.
    public init(
        id: String = UUIDv7.next(), writtenAt: Temporal.DateTime, rank: Int, content: String? = nil, post: Post
    ) {
        self.init(id: id, postID: post.id, writtenAt: writtenAt, rank: rank, content: content)
        postRelation = LazyRelation(post)
    }

    /// The related record of `Post`, read when it is asked for; `nil` where there is none.
    public var post: Post? { get async throws { try await postRelation.one(of: self, Self.keys.post) } }
    /// Refers to `post` from now on.
    public mutating func setPost(_ post: Post) {
        postID = post.id
        postRelation = LazyRelation(post)
    }

    /// The records with this ``postID``, in the order of the index `byPost`.
    public static func byPost(
        postID: String, writtenAt: KeyCondition<Temporal.DateTime>? = nil, rank: KeyCondition<Int>? = nil
    ) -> Query<Comment> {
        Query(
            where: .and([
                Self.keys.postID == postID, writtenAt?.predicate(on: Self.keys.writtenAt) ?? .all,
                rank?.predicate(on: Self.keys.rank) ?? .all,
            ]),
            sort: .by(.ascending(Self.keys.writtenAt), .ascending(Self.keys.rank)))
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Comment/id``
        public let id = Field<Comment, String>("id")
        /// ``Comment/postID``
        public let postID = Field<Comment, String>("postID")
        /// ``Comment/writtenAt``
        public let writtenAt = Field<Comment, Temporal.DateTime>("writtenAt")
        /// ``Comment/rank``
        public let rank = Field<Comment, Int>("rank")
        /// ``Comment/content``
        public let content = Field<Comment, String>("content")
        /// ``Comment/createdAt``
        public let createdAt = Field<Comment, Temporal.DateTime>("createdAt")
        /// ``Comment/updatedAt``
        public let updatedAt = Field<Comment, Temporal.DateTime>("updatedAt")
        /// ``Comment/post``
        public let post = Relation<Comment, Post>("post") { $0.postRelation = $1 }
    }
    /// The fields and relations: `Comment.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Comment",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("postID", .id, isRequired: true),
            FieldSchema("writtenAt", .dateTime, isRequired: true), FieldSchema("rank", .int, isRequired: true),
            FieldSchema("content", .string), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(
                name: "byPost", fields: ["postID", "writtenAt", "rank"],
                queryField: "commentsByPostIDAndWrittenAtAndRank")
        ],
        associations: [Association(name: "post", kind: .belongsTo, target: "Post", fields: ["postID"])])

    private enum CodingKeys: String, CodingKey { case id, postID, writtenAt, rank, content, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(postID)
        row.encode(writtenAt)
        row.encode(rank)
        if let content { row.encode(content) } else { row.encodeMissing() }
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let postID = try row.decode(String.self)
        let writtenAt = try row.decode(Temporal.DateTime.self)
        let rank = try row.decode(Int.self)
        let content = try row.decodeIfPresent(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.postID = postID
        self.writtenAt = writtenAt
        self.rank = rank
        self.content = content
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        postRelation = row.lazyRelation()
    }
}

/// A record of the model `Tag`.
public struct Tag: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `label: String!` in the schema.
    public var label: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var postsRelation = LazyRelation<Post>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), label: String) {
        self.id = id
        self.label = label
    }

    /// The related records of `Post`, read when they are asked for.
    public var posts: RelatedRecords<Post> { postsRelation.many(of: self, Self.keys.posts) }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Tag/id``
        public let id = Field<Tag, String>("id")
        /// ``Tag/label``
        public let label = Field<Tag, String>("label")
        /// ``Tag/createdAt``
        public let createdAt = Field<Tag, Temporal.DateTime>("createdAt")
        /// ``Tag/updatedAt``
        public let updatedAt = Field<Tag, Temporal.DateTime>("updatedAt")
        /// ``Tag/posts``
        public let posts = Relation<Tag, Post>("posts") { $0.postsRelation = $1 }
    }
    /// The fields and relations: `Tag.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Tag",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("label", .string, isRequired: true),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [Association(name: "posts", kind: .manyToMany, target: "Post", indexOrRelationName: "PostTags")])

    private enum CodingKeys: String, CodingKey { case id, label, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(label)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let label = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.label = label
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        postsRelation = row.lazyRelation()
    }
}

/// A record of the model `Volume`.
public struct Volume: Model, Hashable, Identifiable, Codable {
    /// `isbn: String!` in the schema.
    public let isbn: String
    /// `edition: Int!` in the schema.
    public let edition: Int
    /// `title: String` in the schema.
    public var title: String?
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?

    /// The identity of the record.
    public var id: ModelID<Volume> { .identifier(isbn: isbn, edition: edition) }

    /// A record of these fields.
    public init(isbn: String, edition: Int, title: String? = nil) {
        self.isbn = isbn
        self.edition = edition
        self.title = title
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Volume/isbn``
        public let isbn = Field<Volume, String>("isbn")
        /// ``Volume/edition``
        public let edition = Field<Volume, Int>("edition")
        /// ``Volume/title``
        public let title = Field<Volume, String>("title")
        /// ``Volume/createdAt``
        public let createdAt = Field<Volume, Temporal.DateTime>("createdAt")
        /// ``Volume/updatedAt``
        public let updatedAt = Field<Volume, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Volume.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Volume",
        fields: [
            FieldSchema("isbn", .string, isRequired: true), FieldSchema("edition", .int, isRequired: true),
            FieldSchema("title", .string), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        primaryKey: ["isbn", "edition"])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(isbn)
        row.encode(edition)
        if let title { row.encode(title) } else { row.encodeMissing() }
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let isbn = try row.decode(String.self)
        let edition = try row.decode(Int.self)
        let title = try row.decodeIfPresent(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.isbn = isbn
        self.edition = edition
        self.title = title
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension ModelID where Target == Volume {
    /// The id of the ``Volume`` with this key.
    public static func identifier(isbn: String, edition: Int) -> Self {
        Self([isbn.fieldValue, edition.fieldValue])
    }
}

/// A record of the model `PostTags`.
public struct PostTags: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `postId: ID!` in the schema. It holds the key of ``post``.
    public var postId: String
    /// `tagId: ID!` in the schema. It holds the key of ``tag``.
    public var tagId: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var postRelation = LazyRelation<Post>()
    private var tagRelation = LazyRelation<Tag>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), postId: String, tagId: String) {
        self.id = id
        self.postId = postId
        self.tagId = tagId
    }

    /// A record that refers to these records.
    public init(id: String = UUIDv7.next(), post: Post, tag: Tag) {
        self.init(id: id, postId: post.id, tagId: tag.id)
        postRelation = LazyRelation(post)
        tagRelation = LazyRelation(tag)
    }

    /// The record of `Post` that this one refers to, read when it is asked for.
    public var post: Post { get async throws { try await postRelation.required(of: self, Self.keys.post) } }
    /// Refers to `post` from now on.
    public mutating func setPost(_ post: Post) {
        postId = post.id
        postRelation = LazyRelation(post)
    }

    /// The record of `Tag` that this one refers to, read when it is asked for.
    public var tag: Tag { get async throws { try await tagRelation.required(of: self, Self.keys.tag) } }
    /// Refers to `tag` from now on.
    public mutating func setTag(_ tag: Tag) {
        tagId = tag.id
        tagRelation = LazyRelation(tag)
    }

    /// The records with this ``postId``, in the order of the index `byPost`.
    public static func byPost(postId: String) -> Query<PostTags> {
        Query(where: Self.keys.postId == postId)
    }

    /// The records with this ``tagId``, in the order of the index `byTag`.
    public static func byTag(tagId: String) -> Query<PostTags> {
        Query(where: Self.keys.tagId == tagId)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``PostTags/id``
        public let id = Field<PostTags, String>("id")
        /// ``PostTags/postId``
        public let postId = Field<PostTags, String>("postId")
        /// ``PostTags/tagId``
        public let tagId = Field<PostTags, String>("tagId")
        /// ``PostTags/createdAt``
        public let createdAt = Field<PostTags, Temporal.DateTime>("createdAt")
        /// ``PostTags/updatedAt``
        public let updatedAt = Field<PostTags, Temporal.DateTime>("updatedAt")
        /// ``PostTags/post``
        public let post = Relation<PostTags, Post>("post") { $0.postRelation = $1 }
        /// ``PostTags/tag``
        public let tag = Relation<PostTags, Tag>("tag") { $0.tagRelation = $1 }
    }
    /// The fields and relations: `PostTags.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "PostTags",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("postId", .id, isRequired: true),
            FieldSchema("tagId", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(name: "byPost", fields: ["postId"], queryField: "postTagsByPostId"),
            IndexSchema(name: "byTag", fields: ["tagId"], queryField: "postTagsByTagId"),
        ],
        associations: [
            Association(name: "post", kind: .belongsTo, target: "Post", fields: ["postId"], isRequired: true),
            Association(name: "tag", kind: .belongsTo, target: "Tag", fields: ["tagId"], isRequired: true),
        ])

    private enum CodingKeys: String, CodingKey { case id, postId, tagId, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(postId)
        row.encode(tagId)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let postId = try row.decode(String.self)
        let tagId = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.postId = postId
        self.tagId = tagId
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        postRelation = row.lazyRelation()
        tagRelation = row.lazyRelation()
    }
}

/// `Location` of the schema, stored inside records.
public struct Location: Sendable, Hashable, Codable, Embedded {
    /// `latitude: Float!` in the schema.
    public var latitude: Double
    /// `longitude: Float!` in the schema.
    public var longitude: Double
    /// `label: String` in the schema.
    public var label: String?
    /// `tags: [String]` in the schema.
    public var tags: [String?]?
    /// `matrix: [[Int!]]!` in the schema.
    public var matrix: [[Int]?]

    /// A value of these fields.
    public init(latitude: Double, longitude: Double, label: String? = nil, tags: [String?]? = nil, matrix: [[Int]?]) {
        self.latitude = latitude
        self.longitude = longitude
        self.label = label
        self.tags = tags
        self.matrix = matrix
    }

    /// The type's schema.
    public static let schema = EmbeddedSchema(
        name: "Location",
        fields: [
            FieldSchema("latitude", .double, isRequired: true), FieldSchema("longitude", .double, isRequired: true),
            FieldSchema("label", .string), FieldSchema("tags", .list(.string, elementIsRequired: false)),
            FieldSchema(
                "matrix", .list(.list(.int, elementIsRequired: true), elementIsRequired: false), isRequired: true),
        ])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(latitude)
        row.encode(longitude)
        if let label { row.encode(label) } else { row.encodeMissing() }
        if let tags {
            row.encodeList { list in
                for element in tags { if let element { list.append(element) } else { list.appendMissing() } }
            }
        } else {
            row.encodeMissing()
        }
        row.encodeList { list in
            for element in matrix {
                guard let element else {
                    list.appendMissing()
                    continue
                }
                list.appendList { list1 in
                    for element2 in element { list1.append(element2) }
                }
            }
        }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let latitude = try row.decode(Double.self)
        let longitude = try row.decode(Double.self)
        let label = try row.decodeIfPresent(String.self)
        let tags: [String?]? = try row.decodeListIfPresent { (list) throws(RowDamage) in
            try list.allOrMissing { (list) throws(RowDamage) in try list.next(String.self) }
        }
        let matrix: [[Int]?] = try row.decodeList { (list) throws(RowDamage) in
            try list.allOrMissing { (list) throws(RowDamage) in
                try list.nextList { (list) throws(RowDamage) in
                    try list.all { (list) throws(RowDamage) in try list.next(Int.self) }
                }
            }
        }
        self.latitude = latitude
        self.longitude = longitude
        self.label = label
        self.tags = tags
        self.matrix = matrix
    }

    /// The fields, for predicates.
    public struct Keys: Sendable {
        /// ``Location/latitude``
        public let latitude = EmbeddedField<Location, Double>("latitude")
        /// ``Location/longitude``
        public let longitude = EmbeddedField<Location, Double>("longitude")
        /// ``Location/label``
        public let label = EmbeddedField<Location, String>("label")
        /// ``Location/tags``
        public let tags = EmbeddedField<Location, [String]>("tags")
        /// ``Location/matrix``
        public let matrix = EmbeddedField<Location, [[Int]]>("matrix")
    }
    /// The fields, after the name of a field that holds such a value.
    public static let keys = Keys()

    /// The value as predicates and dynamic records hold it.
    public var fieldValue: FieldValue {
        var fields: [String: FieldValue] = [:]
        fields["latitude"] = latitude.fieldValue
        fields["longitude"] = longitude.fieldValue
        fields["label"] = label?.fieldValue
        fields["tags"] = tags.map { .list($0.map { $0?.fieldValue }) }
        fields["matrix"] = .list(matrix.map { $0?.fieldValue })
        return .embedded(fields)
    }

    /// The value that `fieldValue` holds; `nil` where it is of another type or lacks a required field.
    public init?(fieldValue: FieldValue) {
        guard case .embedded(let fields) = fieldValue else { return nil }
        guard let latitude = fields["latitude"].flatMap({ Double(fieldValue: $0) }) else { return nil }
        self.latitude = latitude
        guard let longitude = fields["longitude"].flatMap({ Double(fieldValue: $0) }) else { return nil }
        self.longitude = longitude
        label = fields["label"].flatMap { String(fieldValue: $0) }
        tags = fields["tags"].flatMap { $0.elements?.map { $0.flatMap { String(fieldValue: $0) } } }
        guard let matrix = fields["matrix"].flatMap({ $0.elements?.map { $0.flatMap { [Int](fieldValue: $0) } } })
        else { return nil }
        self.matrix = matrix
    }
}

/// One of the texts of `PostStatus` in the schema.
public enum PostStatus: RawRepresentable, Sendable, Hashable, Codable, CaseIterable, FieldConvertible {
    /// `ACTIVE` in the schema.
    case active
    /// `IN_REVIEW` in the schema.
    case inReview
    /// `ARCHIVED` in the schema.
    case archived
    /// A case that this build does not know; its text is kept when a record is written again.
    case unknown(String)

    /// The cases of the schema, in its order.
    public static let allCases: [PostStatus] = [.active, .inReview, .archived]

    /// The case whose text is `rawValue`.
    public init(rawValue: String) {
        switch rawValue {
        case "ACTIVE": self = .active
        case "IN_REVIEW": self = .inReview
        case "ARCHIVED": self = .archived
        default: self = .unknown(rawValue)
        }
    }

    /// The text in the schema.
    public var rawValue: String {
        switch self {
        case .active: "ACTIVE"
        case .inReview: "IN_REVIEW"
        case .archived: "ARCHIVED"
        case .unknown(let text): text
        }
    }
}

extension Schema {
    /// All models of blog.graphql.
    public static let blog = Schema(
        models: [
            Blog.schema, Post.schema, Author.schema, Summary.schema, Comment.schema, Tag.schema, Volume.schema,
            PostTags.schema,
        ],
        embeddedTypes: [Location.schema],
        enums: [EnumSchema(name: "PostStatus", cases: ["ACTIVE", "IN_REVIEW", "ARCHIVED"])])
}
