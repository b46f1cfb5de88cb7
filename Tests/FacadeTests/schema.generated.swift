// Generated from schema.graphql by tidelog. Changes are lost when it is generated again.
// swift-format-ignore-file
import Tidelog

/// A record of the model `Story`.
struct Story: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `title: String!` in the schema.
    var title: String
    /// `stars: Int!` in the schema.
    var stars: Int
    /// `state: StoryState!` in the schema.
    var state: StoryState
    /// `publishedAt: AWSDateTime` in the schema.
    var publishedAt: Temporal.DateTime?
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?
    private var remarksRelation = LazyRelation<Remark>()

    /// A record of these fields.
    init(
        id: String = UUIDv7.next(), title: String, stars: Int, state: StoryState, publishedAt: Temporal.DateTime? = nil
    ) {
        self.id = id
        self.title = title
        self.stars = stars
        self.state = state
        self.publishedAt = publishedAt
    }

    /// The related records of `Remark`, read when they are asked for.
    var remarks: RelatedRecords<Remark> { remarksRelation.many(of: self, Self.keys.remarks) }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Story/id``
        let id = Field<Story, String>("id")
        /// ``Story/title``
        let title = Field<Story, String>("title")
        /// ``Story/stars``
        let stars = Field<Story, Int>("stars")
        /// ``Story/state``
        let state = Field<Story, StoryState>("state")
        /// ``Story/publishedAt``
        let publishedAt = Field<Story, Temporal.DateTime>("publishedAt")
        /// ``Story/createdAt``
        let createdAt = Field<Story, Temporal.DateTime>("createdAt")
        /// ``Story/updatedAt``
        let updatedAt = Field<Story, Temporal.DateTime>("updatedAt")
        /// ``Story/remarks``
        let remarks = Relation<Story, Remark>("remarks") { $0.remarksRelation = $1 }
    }
    /// The fields and relations: `Story.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Story",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("stars", .int, isRequired: true),
            FieldSchema("state", .enumeration("StoryState"), isRequired: true), FieldSchema("publishedAt", .dateTime),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [
            Association(
                name: "remarks", kind: .hasMany, target: "Remark", fields: ["id"], indexOrRelationName: "byStory")
        ],
        directives: ["@auth(rules: [{allow: public}])"])

    private enum CodingKeys: String, CodingKey { case id, title, stars, state, publishedAt, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(title)
        row.encode(stars)
        row.encode(state.rawValue)
        if let publishedAt { row.encode(publishedAt) } else { row.encodeMissing() }
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let title = try row.decode(String.self)
        let stars = try row.decode(Int.self)
        let state = try StoryState(rawValue: row.decode(String.self))
        let publishedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.title = title
        self.stars = stars
        self.state = state
        self.publishedAt = publishedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        remarksRelation = row.lazyRelation()
    }
}

/// A record of the model `Remark`.
struct Remark: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `text: String!` in the schema.
    var text: String
    /// `storyID: ID!` in the schema. It holds the key of ``story``.
    var storyID: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?
    private var storyRelation = LazyRelation<Story>()

    /// A record of these fields.
    init(id: String = UUIDv7.next(), text: String, storyID: String) {
        self.id = id
        self.text = text
        self.storyID = storyID
    }

    /// A record that refers to these records.
    init(id: String = UUIDv7.next(), text: String, story: Story) {
        self.init(id: id, text: text, storyID: story.id)
        storyRelation = LazyRelation(story)
    }

    /// The related record of `Story`, read when it is asked for; `nil` where there is none.
    var story: Story? { get async throws { try await storyRelation.one(of: self, Self.keys.story) } }
    /// Refers to `story` from now on.
    mutating func setStory(_ story: Story) {
        storyID = story.id
        storyRelation = LazyRelation(story)
    }

    /// The records with this ``storyID``, in the order of the index `byStory`.
    static func byStory(storyID: String) -> Query<Remark> {
        Query(where: Self.keys.storyID == storyID)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Remark/id``
        let id = Field<Remark, String>("id")
        /// ``Remark/text``
        let text = Field<Remark, String>("text")
        /// ``Remark/storyID``
        let storyID = Field<Remark, String>("storyID")
        /// ``Remark/createdAt``
        let createdAt = Field<Remark, Temporal.DateTime>("createdAt")
        /// ``Remark/updatedAt``
        let updatedAt = Field<Remark, Temporal.DateTime>("updatedAt")
        /// ``Remark/story``
        let story = Relation<Remark, Story>("story") { $0.storyRelation = $1 }
    }
    /// The fields and relations: `Remark.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Remark",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string, isRequired: true),
            FieldSchema("storyID", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [IndexSchema(name: "byStory", fields: ["storyID"], queryField: "remarksByStoryID")],
        associations: [Association(name: "story", kind: .belongsTo, target: "Story", fields: ["storyID"])],
        directives: ["@auth(rules: [{allow: public}])"])

    private enum CodingKeys: String, CodingKey { case id, text, storyID, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(text)
        row.encode(storyID)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let text = try row.decode(String.self)
        let storyID = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.text = text
        self.storyID = storyID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        storyRelation = row.lazyRelation()
    }
}

/// A record of the model `Reader`.
struct Reader: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `firstName: String!` in the schema.
    var firstName: String
    /// `lastName: String!` in the schema.
    var lastName: String
    /// `createdAt: AWSDateTime!` in the schema.
    var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?

    /// A record of these fields.
    init(id: String = UUIDv7.next(), firstName: String, lastName: String, createdAt: Temporal.DateTime) {
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.createdAt = createdAt
    }

    /// The records with this ``lastName``, in the order of the index `byLastName`.
    static func byLastName(lastName: String, createdAt: KeyCondition<Temporal.DateTime>? = nil) -> Query<Reader> {
        Query(
            where: .and([Self.keys.lastName == lastName, createdAt?.predicate(on: Self.keys.createdAt) ?? .all]),
            sort: .ascending(Self.keys.createdAt))
    }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Reader/id``
        let id = Field<Reader, String>("id")
        /// ``Reader/firstName``
        let firstName = Field<Reader, String>("firstName")
        /// ``Reader/lastName``
        let lastName = Field<Reader, String>("lastName")
        /// ``Reader/createdAt``
        let createdAt = Field<Reader, Temporal.DateTime>("createdAt")
        /// ``Reader/updatedAt``
        let updatedAt = Field<Reader, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Reader.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Reader",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("firstName", .string, isRequired: true),
            FieldSchema("lastName", .string, isRequired: true), FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(
                name: "byLastName", fields: ["lastName", "createdAt"], queryField: "readersByLastNameAndCreatedAt")
        ],
        directives: ["@auth(rules: [{allow: public}])"])

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(firstName)
        row.encode(lastName)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let firstName = try row.decode(String.self)
        let lastName = try row.decode(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A record of the model `Neighbour`.
struct Neighbour: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `username: String!` in the schema.
    var username: String
    /// `district: String` in the schema.
    var district: String?
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?
    private var membershipsRelation = LazyRelation<Membership>()

    /// A record of these fields.
    init(id: String = UUIDv7.next(), username: String, district: String? = nil) {
        self.id = id
        self.username = username
        self.district = district
    }

    /// The related records of `Membership`, read when they are asked for.
    var memberships: RelatedRecords<Membership> { membershipsRelation.many(of: self, Self.keys.memberships) }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Neighbour/id``
        let id = Field<Neighbour, String>("id")
        /// ``Neighbour/username``
        let username = Field<Neighbour, String>("username")
        /// ``Neighbour/district``
        let district = Field<Neighbour, String>("district")
        /// ``Neighbour/createdAt``
        let createdAt = Field<Neighbour, Temporal.DateTime>("createdAt")
        /// ``Neighbour/updatedAt``
        let updatedAt = Field<Neighbour, Temporal.DateTime>("updatedAt")
        /// ``Neighbour/memberships``
        let memberships = Relation<Neighbour, Membership>("memberships") { $0.membershipsRelation = $1 }
    }
    /// The fields and relations: `Neighbour.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Neighbour",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("username", .string, isRequired: true),
            FieldSchema("district", .string), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        associations: [
            Association(
                name: "memberships", kind: .hasMany, target: "Membership", fields: ["id"],
                indexOrRelationName: "byNeighbour")
        ],
        directives: ["@auth(rules: [{allow: public}])"])

    private enum CodingKeys: String, CodingKey { case id, username, district, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(username)
        if let district { row.encode(district) } else { row.encodeMissing() }
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let username = try row.decode(String.self)
        let district = try row.decodeIfPresent(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.username = username
        self.district = district
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        membershipsRelation = row.lazyRelation()
    }
}

/// A record of the model `Conversation`.
struct Conversation: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `name: String!` in the schema.
    var name: String
    /// `location: String!` in the schema.
    var location: String
    /// `createdAt: AWSDateTime!` in the schema.
    var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?
    private var membershipsRelation = LazyRelation<Membership>()

    /// A record of these fields.
    init(id: String = UUIDv7.next(), name: String, location: String, createdAt: Temporal.DateTime) {
        self.id = id
        self.name = name
        self.location = location
        self.createdAt = createdAt
    }

    /// The related records of `Membership`, read when they are asked for.
    var memberships: RelatedRecords<Membership> { membershipsRelation.many(of: self, Self.keys.memberships) }

    /// The records with this ``location``, in the order of the index `byLocation`.
    static func byLocation(location: String) -> Query<Conversation> {
        Query(where: Self.keys.location == location)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Conversation/id``
        let id = Field<Conversation, String>("id")
        /// ``Conversation/name``
        let name = Field<Conversation, String>("name")
        /// ``Conversation/location``
        let location = Field<Conversation, String>("location")
        /// ``Conversation/createdAt``
        let createdAt = Field<Conversation, Temporal.DateTime>("createdAt")
        /// ``Conversation/updatedAt``
        let updatedAt = Field<Conversation, Temporal.DateTime>("updatedAt")
        /// ``Conversation/memberships``
        let memberships = Relation<Conversation, Membership>("memberships") { $0.membershipsRelation = $1 }
    }
    /// The fields and relations: `Conversation.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Conversation",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
            FieldSchema("location", .string, isRequired: true), FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [IndexSchema(name: "byLocation", fields: ["location"], queryField: "conversationsByLocation")],
        associations: [
            Association(
                name: "memberships", kind: .hasMany, target: "Membership", fields: ["id"],
                indexOrRelationName: "byConversation")
        ],
        directives: ["@auth(rules: [{allow: public}])"])

    private enum CodingKeys: String, CodingKey { case id, name, location, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        row.encode(location)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
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
        membershipsRelation = row.lazyRelation()
    }
}

/// A record of the model `Membership`.
struct Membership: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    let id: String
    /// `neighbourID: ID!` in the schema. It holds the key of ``neighbour``.
    var neighbourID: String
    /// `conversationID: ID!` in the schema. It holds the key of ``conversation``.
    var conversationID: String
    /// `createdAt: AWSDateTime!` in the schema.
    var createdAt: Temporal.DateTime
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    private(set) var updatedAt: Temporal.DateTime?
    private var neighbourRelation = LazyRelation<Neighbour>()
    private var conversationRelation = LazyRelation<Conversation>()

    /// A record of these fields.
    init(id: String = UUIDv7.next(), neighbourID: String, conversationID: String, createdAt: Temporal.DateTime) {
        self.id = id
        self.neighbourID = neighbourID
        self.conversationID = conversationID
        self.createdAt = createdAt
    }

    /// A record that refers to these records.
    init(id: String = UUIDv7.next(), neighbour: Neighbour, conversation: Conversation, createdAt: Temporal.DateTime) {
        self.init(id: id, neighbourID: neighbour.id, conversationID: conversation.id, createdAt: createdAt)
        neighbourRelation = LazyRelation(neighbour)
        conversationRelation = LazyRelation(conversation)
    }

    /// The record of `Neighbour` that this one refers to, read when it is asked for.
    var neighbour: Neighbour {
        get async throws { try await neighbourRelation.required(of: self, Self.keys.neighbour) }
    }
    /// Refers to `neighbour` from now on.
    mutating func setNeighbour(_ neighbour: Neighbour) {
        neighbourID = neighbour.id
        neighbourRelation = LazyRelation(neighbour)
    }

    /// The record of `Conversation` that this one refers to, read when it is asked for.
    var conversation: Conversation {
        get async throws { try await conversationRelation.required(of: self, Self.keys.conversation) }
    }
    /// Refers to `conversation` from now on.
    mutating func setConversation(_ conversation: Conversation) {
        conversationID = conversation.id
        conversationRelation = LazyRelation(conversation)
    }

    /// The records with this ``neighbourID``, in the order of the index `byNeighbour`.
    static func byNeighbour(neighbourID: String) -> Query<Membership> {
        Query(where: Self.keys.neighbourID == neighbourID)
    }

    /// The records with this ``conversationID``, in the order of the index `byConversation`.
    static func byConversation(conversationID: String) -> Query<Membership> {
        Query(where: Self.keys.conversationID == conversationID)
    }

    /// The fields and relations, for predicates, orders and eager loading.
    struct Keys: Sendable {
        /// ``Membership/id``
        let id = Field<Membership, String>("id")
        /// ``Membership/neighbourID``
        let neighbourID = Field<Membership, String>("neighbourID")
        /// ``Membership/conversationID``
        let conversationID = Field<Membership, String>("conversationID")
        /// ``Membership/createdAt``
        let createdAt = Field<Membership, Temporal.DateTime>("createdAt")
        /// ``Membership/updatedAt``
        let updatedAt = Field<Membership, Temporal.DateTime>("updatedAt")
        /// ``Membership/neighbour``
        let neighbour = Relation<Membership, Neighbour>("neighbour") { $0.neighbourRelation = $1 }
        /// ``Membership/conversation``
        let conversation = Relation<Membership, Conversation>("conversation") { $0.conversationRelation = $1 }
    }
    /// The fields and relations: `Membership.keys.updatedAt`.
    static let keys = Keys()

    /// The model's schema.
    static let schema = ModelSchema(
        name: "Membership",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("neighbourID", .id, isRequired: true),
            FieldSchema("conversationID", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isRequired: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(name: "byNeighbour", fields: ["neighbourID"], queryField: "membershipsByNeighbourID"),
            IndexSchema(name: "byConversation", fields: ["conversationID"], queryField: "membershipsByConversationID"),
        ],
        associations: [
            Association(
                name: "neighbour", kind: .belongsTo, target: "Neighbour", fields: ["neighbourID"], isRequired: true),
            Association(
                name: "conversation", kind: .belongsTo, target: "Conversation", fields: ["conversationID"],
                isRequired: true),
        ],
        directives: ["@auth(rules: [{allow: public}])"])

    private enum CodingKeys: String, CodingKey { case id, neighbourID, conversationID, createdAt, updatedAt }

    /// Writes every field, in the order of the schema.
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(neighbourID)
        row.encode(conversationID)
        row.encode(createdAt)
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let neighbourID = try row.decode(String.self)
        let conversationID = try row.decode(String.self)
        let createdAt = try row.decode(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.neighbourID = neighbourID
        self.conversationID = conversationID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        neighbourRelation = row.lazyRelation()
        conversationRelation = row.lazyRelation()
    }
}

/// One of the texts of `StoryState` in the schema.
enum StoryState: RawRepresentable, Sendable, Hashable, Codable, CaseIterable, FieldConvertible {
    /// `DRAFT` in the schema.
    case draft
    /// `OUT` in the schema.
    case out
    /// A case that this build does not know; its text is kept when a record is written again.
    case unknown(String)

    /// The cases of the schema, in its order.
    static let allCases: [StoryState] = [.draft, .out]

    /// The case whose text is `rawValue`.
    init(rawValue: String) {
        switch rawValue {
        case "DRAFT": self = .draft
        case "OUT": self = .out
        default: self = .unknown(rawValue)
        }
    }

    /// The text in the schema.
    var rawValue: String {
        switch self {
        case .draft: "DRAFT"
        case .out: "OUT"
        case .unknown(let text): text
        }
    }
}

extension Schema {
    /// All models of schema.graphql.
    static let app = Schema(
        models: [Story.schema, Remark.schema, Reader.schema, Neighbour.schema, Conversation.schema, Membership.schema],
        enums: [EnumSchema(name: "StoryState", cases: ["DRAFT", "OUT"])])
}

/// All models of schema.graphql, by their names.
struct AmplifyModels: AmplifyModelRegistration {
    /// All models.
    init() {}

    /// The schema of the models.
    var schema: Schema { .app }

    /// The type of each model.
    var models: [any Model.Type] {
        [Story.self, Remark.self, Reader.self, Neighbour.self, Conversation.self, Membership.self]
    }
}
