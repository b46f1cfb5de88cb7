// Generated from chat.graphql by tidelog. Changes are lost when it is generated again.
// swift-format-ignore-file
public import Tidelog

/// Somebody who uses the app.
public struct User: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// The id of the sign-in provider.
    public var sub: String
    /// `username: String!` in the schema.
    public var username: String
    /// `postcode: String` in the schema.
    public var postcode: String?
    /// `createdAt: AWSDateTime!` in the schema.
    public var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var threadsRelation = LazyRelation<UserThread>()
    private var messagesRelation = LazyRelation<Message>()

    /// A record of these fields.
    public init(
        id: String = UUIDv7.next(), sub: String, username: String, postcode: String? = nil, createdAt: Temporal.DateTime
    ) {
        self.id = id
        self.sub = sub
        self.username = username
        self.postcode = postcode
        self.createdAt = createdAt
    }

    /// The related records of `UserThread`, read when they are asked for.
    public var threads: RelatedRecords<UserThread> { threadsRelation.many(of: self, Self.keys.threads) }

    /// The related records of `Message`, read when they are asked for.
    public var messages: RelatedRecords<Message> { messagesRelation.many(of: self, Self.keys.messages) }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``User/id``
        public let id = Field<User, String>("id")
        /// ``User/sub``
        public let sub = Field<User, String>("sub")
        /// ``User/username``
        public let username = Field<User, String>("username")
        /// ``User/postcode``
        public let postcode = Field<User, String>("postcode")
        /// ``User/createdAt``
        public let createdAt = Field<User, Temporal.DateTime>("createdAt")
        /// ``User/updatedAt``
        public let updatedAt = Field<User, Temporal.DateTime>("updatedAt")
        /// ``User/threads``
        public let threads = Relation<User, UserThread>("threads") { $0.threadsRelation = $1 }
        /// ``User/messages``
        public let messages = Relation<User, Message>("messages") { $0.messagesRelation = $1 }
    }
    /// The fields and relations: `User.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "User",
        fields: [
            FieldSchema("id", .id, isRequired: true),
            FieldSchema("sub", .string, isRequired: true, documentation: "The id of the sign-in provider."),
            FieldSchema("username", .string, isRequired: true), FieldSchema("postcode", .string),
            FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [
            Association(
                name: "threads", kind: .hasMany, target: "UserThread", fields: ["id"], indexOrRelationName: "byUser"),
            Association(
                name: "messages", kind: .hasMany, target: "Message", fields: ["id"], indexOrRelationName: "byAuthor"),
        ],
        directives: [
            "@auth(rules: [{allow: owner, ownerField: \"sub\", operations: [create, update, delete, read]}, {allow: private, provider: userPools, operations: [read]}])"
        ],
        documentation: "Somebody who uses the app.")

    private enum CodingKeys: String, CodingKey { case id, sub, username, postcode, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(sub)
        row.encode(username)
        if let postcode { row.encode(postcode) } else { row.encodeMissing() }
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let sub = try row.decode(String.self)
        let username = try row.decode(String.self)
        let postcode = try row.decodeIfPresent(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.sub = sub
        self.username = username
        self.postcode = postcode
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        threadsRelation = row.lazyRelation()
        messagesRelation = row.lazyRelation()
    }
}

/// A conversation of everybody in one place.
public struct Thread: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `name: String!` in the schema.
    public var name: String
    /// `location: String!` in the schema.
    public var location: String
    /// `createdAt: AWSDateTime!` in the schema.
    public var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var associatedRelation = LazyRelation<UserThread>()
    private var messagesRelation = LazyRelation<Message>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), name: String, location: String, createdAt: Temporal.DateTime) {
        self.id = id
        self.name = name
        self.location = location
        self.createdAt = createdAt
    }

    /// The related records of `UserThread`, read when they are asked for.
    public var associated: RelatedRecords<UserThread> { associatedRelation.many(of: self, Self.keys.associated) }

    /// The related records of `Message`, read when they are asked for.
    public var messages: RelatedRecords<Message> { messagesRelation.many(of: self, Self.keys.messages) }

    /// The records with this ``location``, in the order of the index `byLocation`.
    public static func byLocation(location: String) -> Query<Thread> {
        Query(where: Self.keys.location == location)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Thread/id``
        public let id = Field<Thread, String>("id")
        /// ``Thread/name``
        public let name = Field<Thread, String>("name")
        /// ``Thread/location``
        public let location = Field<Thread, String>("location")
        /// ``Thread/createdAt``
        public let createdAt = Field<Thread, Temporal.DateTime>("createdAt")
        /// ``Thread/updatedAt``
        public let updatedAt = Field<Thread, Temporal.DateTime>("updatedAt")
        /// ``Thread/associated``
        public let associated = Relation<Thread, UserThread>("associated") { $0.associatedRelation = $1 }
        /// ``Thread/messages``
        public let messages = Relation<Thread, Message>("messages") { $0.messagesRelation = $1 }
    }
    /// The fields and relations: `Thread.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Thread",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
            FieldSchema("location", .string, isRequired: true), FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [IndexSchema(name: "byLocation", fields: ["location"], queryField: "threadsByLocation")],
        associations: [
            Association(
                name: "associated", kind: .hasMany, target: "UserThread", fields: ["id"],
                indexOrRelationName: "byThread"),
            Association(
                name: "messages", kind: .hasMany, target: "Message", fields: ["id"], indexOrRelationName: "byThread"),
        ],
        documentation: "A conversation of everybody in one place.")

    private enum CodingKeys: String, CodingKey { case id, name, location, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        row.encode(location)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let name = try row.decode(String.self)
        let location = try row.decode(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.name = name
        self.location = location
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        associatedRelation = row.lazyRelation()
        messagesRelation = row.lazyRelation()
    }
}

/// Who takes part in what.
public struct UserThread: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `userID: ID!` in the schema. It holds the key of ``user``.
    public var userID: String
    /// `threadID: ID!` in the schema. It holds the key of ``thread``.
    public var threadID: String
    /// `createdAt: AWSDateTime!` in the schema.
    public var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var userRelation = LazyRelation<User>()
    private var threadRelation = LazyRelation<Thread>()

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), userID: String, threadID: String, createdAt: Temporal.DateTime) {
        self.id = id
        self.userID = userID
        self.threadID = threadID
        self.createdAt = createdAt
    }

    /// A record that refers to these records.
    public init(id: String = UUIDv7.next(), createdAt: Temporal.DateTime, user: User, thread: Thread) {
        self.init(id: id, userID: user.id, threadID: thread.id, createdAt: createdAt)
        userRelation = LazyRelation(user)
        threadRelation = LazyRelation(thread)
    }

    /// The record of `User` that this one refers to, read when it is asked for.
    public var user: User { get async throws { try await userRelation.required(of: self, Self.keys.user) } }
    /// Refers to `user` from now on.
    public mutating func setUser(_ user: User) {
        userID = user.id
        userRelation = LazyRelation(user)
    }

    /// The record of `Thread` that this one refers to, read when it is asked for.
    public var thread: Thread { get async throws { try await threadRelation.required(of: self, Self.keys.thread) } }
    /// Refers to `thread` from now on.
    public mutating func setThread(_ thread: Thread) {
        threadID = thread.id
        threadRelation = LazyRelation(thread)
    }

    /// The records with this ``userID``, in the order of the index `byUser`.
    public static func byUser(userID: String) -> Query<UserThread> {
        Query(where: Self.keys.userID == userID)
    }

    /// The records with this ``threadID``, in the order of the index `byThread`.
    public static func byThread(threadID: String) -> Query<UserThread> {
        Query(where: Self.keys.threadID == threadID)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``UserThread/id``
        public let id = Field<UserThread, String>("id")
        /// ``UserThread/userID``
        public let userID = Field<UserThread, String>("userID")
        /// ``UserThread/threadID``
        public let threadID = Field<UserThread, String>("threadID")
        /// ``UserThread/createdAt``
        public let createdAt = Field<UserThread, Temporal.DateTime>("createdAt")
        /// ``UserThread/updatedAt``
        public let updatedAt = Field<UserThread, Temporal.DateTime>("updatedAt")
        /// ``UserThread/user``
        public let user = Relation<UserThread, User>("user") { $0.userRelation = $1 }
        /// ``UserThread/thread``
        public let thread = Relation<UserThread, Thread>("thread") { $0.threadRelation = $1 }
    }
    /// The fields and relations: `UserThread.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "UserThread",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("userID", .id, isRequired: true),
            FieldSchema("threadID", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(name: "byUser", fields: ["userID"], queryField: "userThreadsByUserID"),
            IndexSchema(name: "byThread", fields: ["threadID"], queryField: "userThreadsByThreadID"),
        ],
        associations: [
            Association(name: "user", kind: .belongsTo, target: "User", fields: ["userID"], isRequired: true),
            Association(name: "thread", kind: .belongsTo, target: "Thread", fields: ["threadID"], isRequired: true),
        ],
        documentation: "Who takes part in what.")

    private enum CodingKeys: String, CodingKey { case id, userID, threadID, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(userID)
        row.encode(threadID)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let userID = try row.decode(String.self)
        let threadID = try row.decode(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.userID = userID
        self.threadID = threadID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        userRelation = row.lazyRelation()
        threadRelation = row.lazyRelation()
    }
}

/// What somebody said.
public struct Message: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `body: String!` in the schema.
    public var body: String
    /// `threadID: ID!` in the schema. It holds the key of ``thread``.
    public var threadID: String
    /// `authorID: ID!` in the schema. It holds the key of ``author``.
    public var authorID: String
    /// `createdAt: AWSDateTime!` in the schema.
    public var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?
    private var threadRelation = LazyRelation<Thread>()
    private var authorRelation = LazyRelation<User>()

    /// A record of these fields.
    public init(
        id: String = UUIDv7.next(), body: String, threadID: String, authorID: String, createdAt: Temporal.DateTime
    ) {
        self.id = id
        self.body = body
        self.threadID = threadID
        self.authorID = authorID
        self.createdAt = createdAt
    }

    /// A record that refers to these records.
    public init(id: String = UUIDv7.next(), body: String, createdAt: Temporal.DateTime, thread: Thread, author: User) {
        self.init(id: id, body: body, threadID: thread.id, authorID: author.id, createdAt: createdAt)
        threadRelation = LazyRelation(thread)
        authorRelation = LazyRelation(author)
    }

    /// The record of `Thread` that this one refers to, read when it is asked for.
    public var thread: Thread { get async throws { try await threadRelation.required(of: self, Self.keys.thread) } }
    /// Refers to `thread` from now on.
    public mutating func setThread(_ thread: Thread) {
        threadID = thread.id
        threadRelation = LazyRelation(thread)
    }

    /// The record of `User` that this one refers to, read when it is asked for.
    public var author: User { get async throws { try await authorRelation.required(of: self, Self.keys.author) } }
    /// Refers to `author` from now on.
    public mutating func setAuthor(_ author: User) {
        authorID = author.id
        authorRelation = LazyRelation(author)
    }

    /// The records with this ``threadID``, in the order of the index `byThread`.
    public static func byThread(threadID: String, createdAt: KeyCondition<Temporal.DateTime>? = nil) -> Query<Message> {
        Query(
            where: .and([Self.keys.threadID == threadID, createdAt?.predicate(on: Self.keys.createdAt) ?? .all]),
            sort: .ascending(Self.keys.createdAt))
    }

    /// The records with this ``authorID``, in the order of the index `byAuthor`.
    public static func byAuthor(authorID: String, createdAt: KeyCondition<Temporal.DateTime>? = nil) -> Query<Message> {
        Query(
            where: .and([Self.keys.authorID == authorID, createdAt?.predicate(on: Self.keys.createdAt) ?? .all]),
            sort: .ascending(Self.keys.createdAt))
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Message/id``
        public let id = Field<Message, String>("id")
        /// ``Message/body``
        public let body = Field<Message, String>("body")
        /// ``Message/threadID``
        public let threadID = Field<Message, String>("threadID")
        /// ``Message/authorID``
        public let authorID = Field<Message, String>("authorID")
        /// ``Message/createdAt``
        public let createdAt = Field<Message, Temporal.DateTime>("createdAt")
        /// ``Message/updatedAt``
        public let updatedAt = Field<Message, Temporal.DateTime>("updatedAt")
        /// ``Message/thread``
        public let thread = Relation<Message, Thread>("thread") { $0.threadRelation = $1 }
        /// ``Message/author``
        public let author = Relation<Message, User>("author") { $0.authorRelation = $1 }
    }
    /// The fields and relations: `Message.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Message",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("body", .string, isRequired: true),
            FieldSchema("threadID", .id, isRequired: true), FieldSchema("authorID", .id, isRequired: true),
            FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(
                name: "byThread", fields: ["threadID", "createdAt"], queryField: "messagesByThreadIDAndCreatedAt"),
            IndexSchema(
                name: "byAuthor", fields: ["authorID", "createdAt"], queryField: "messagesByAuthorIDAndCreatedAt"),
        ],
        associations: [
            Association(name: "thread", kind: .belongsTo, target: "Thread", fields: ["threadID"], isRequired: true),
            Association(name: "author", kind: .belongsTo, target: "User", fields: ["authorID"], isRequired: true),
        ],
        documentation: "What somebody said.")

    private enum CodingKeys: String, CodingKey { case id, body, threadID, authorID, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(body)
        row.encode(threadID)
        row.encode(authorID)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let body = try row.decode(String.self)
        let threadID = try row.decode(String.self)
        let authorID = try row.decode(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.body = body
        self.threadID = threadID
        self.authorID = authorID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        threadRelation = row.lazyRelation()
        authorRelation = row.lazyRelation()
    }
}

extension Schema {
    /// All models of chat.graphql.
    public static let chat = Schema(models: [User.schema, Thread.schema, UserThread.schema, Message.schema])
}
