// Generated from stamps.graphql by tidelog. Changes are lost when it is generated again.
// swift-format-ignore-file
public import Tidelog

/// A record of the model `Stamped`.
public struct Stamped: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?

    /// A record of these fields.
    public init(id: String = UUIDv7.next()) {
        self.id = id
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Stamped/id``
        public let id = Field<Stamped, String>("id")
        /// ``Stamped/createdAt``
        public let createdAt = Field<Stamped, Temporal.DateTime>("createdAt")
        /// ``Stamped/updatedAt``
        public let updatedAt = Field<Stamped, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Stamped.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Stamped",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A record of the model `Unstamped`.
public struct Unstamped: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `text: String` in the schema.
    public var text: String?

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), text: String? = nil) {
        self.id = id
        self.text = text
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Unstamped/id``
        public let id = Field<Unstamped, String>("id")
        /// ``Unstamped/text``
        public let text = Field<Unstamped, String>("text")
    }
    /// The fields and relations: `Unstamped.keys.text`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Unstamped", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string)])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let text { row.encode(text) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let text = try row.decodeIfPresent(String.self)
        self.id = id
        self.text = text
    }
}

/// A record of the model `Renamed`.
public struct Renamed: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `bornAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var bornAt: Temporal.DateTime?
    /// `changedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var changedAt: Temporal.DateTime?

    /// A record of these fields.
    public init(id: String = UUIDv7.next()) {
        self.id = id
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Renamed/id``
        public let id = Field<Renamed, String>("id")
        /// ``Renamed/bornAt``
        public let bornAt = Field<Renamed, Temporal.DateTime>("bornAt")
        /// ``Renamed/changedAt``
        public let changedAt = Field<Renamed, Temporal.DateTime>("changedAt")
    }
    /// The fields and relations: `Renamed.keys.changedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Renamed",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("bornAt", .dateTime, isReadOnly: true),
            FieldSchema("changedAt", .dateTime, isReadOnly: true),
        ],
        directives: ["@model(timestamps: {createdAt: \"bornAt\", updatedAt: \"changedAt\"})"])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let bornAt { row.encode(bornAt) } else { row.encodeMissing() }
        if let changedAt { row.encode(changedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let bornAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let changedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.bornAt = bornAt
        self.changedAt = changedAt
    }
}

/// A record of the model `HalfStamped`.
public struct HalfStamped: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `madeAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var madeAt: Temporal.DateTime?

    /// A record of these fields.
    public init(id: String = UUIDv7.next()) {
        self.id = id
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``HalfStamped/id``
        public let id = Field<HalfStamped, String>("id")
        /// ``HalfStamped/madeAt``
        public let madeAt = Field<HalfStamped, Temporal.DateTime>("madeAt")
    }
    /// The fields and relations: `HalfStamped.keys.madeAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "HalfStamped",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("madeAt", .dateTime, isReadOnly: true)],
        directives: ["@model(timestamps: {createdAt: \"madeAt\", updatedAt: null})"])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let madeAt { row.encode(madeAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let madeAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.madeAt = madeAt
    }
}

/// A record of the model `Declared`.
public struct Declared: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `createdAt: AWSDateTime` in the schema.
    public var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime!` in the schema.
    public var updatedAt: Temporal.DateTime

    /// A record of these fields.
    public init(id: String = UUIDv7.next(), createdAt: Temporal.DateTime? = nil, updatedAt: Temporal.DateTime) {
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Declared/id``
        public let id = Field<Declared, String>("id")
        /// ``Declared/createdAt``
        public let createdAt = Field<Declared, Temporal.DateTime>("createdAt")
        /// ``Declared/updatedAt``
        public let updatedAt = Field<Declared, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Declared.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Declared",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("createdAt", .dateTime),
            FieldSchema("updatedAt", .dateTime, isRequired: true),
        ])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        row.encode(updatedAt)
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decode(Temporal.DateTime.self)
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A record of the model `Quiet`.
public struct Quiet: Model, Hashable, Identifiable, Codable {
    /// `id: ID!` in the schema.
    public let id: String
    /// `createdAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var createdAt: Temporal.DateTime?
    /// `updatedAt: AWSDateTime` in the schema. Only a server sets it.
    public private(set) var updatedAt: Temporal.DateTime?

    /// A record of these fields.
    public init(id: String = UUIDv7.next()) {
        self.id = id
    }

    /// The fields and relations, for predicates, orders and eager loading.
    public struct Keys: Sendable {
        /// ``Quiet/id``
        public let id = Field<Quiet, String>("id")
        /// ``Quiet/createdAt``
        public let createdAt = Field<Quiet, Temporal.DateTime>("createdAt")
        /// ``Quiet/updatedAt``
        public let updatedAt = Field<Quiet, Temporal.DateTime>("updatedAt")
    }
    /// The fields and relations: `Quiet.keys.updatedAt`.
    public static let keys = Keys()

    /// The model's schema.
    public static let schema = ModelSchema(
        name: "Quiet",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        directives: ["@model(queries: {get: \"fetchQuiet\"}, mutations: null, subscriptions: {level: off})"])

    /// Writes every field, in the order of the schema.
    public func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }
    /// Reads every field, in the order of the schema.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let id = try row.decode(String.self)
        let createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        let updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension Schema {
    /// All models of stamps.graphql.
    public static let stamps = Schema(
        models: [Stamped.schema, Unstamped.schema, Renamed.schema, HalfStamped.schema, Declared.schema, Quiet.schema])
}
