/// All models of an app, with the types that they embed.
///
/// A schema is a declaration in code. The store assigns the numbers of models and fields in rows and events when it first gets
/// the schema. These numbers are in ``StoredSchema``.
public struct Schema: Sendable, Hashable {
    /// The models, in declaration order.
    public var models: [ModelSchema]
    /// The types that models embed, in declaration order.
    public var embeddedTypes: [EmbeddedSchema]
    /// The enums, in declaration order.
    public var enums: [EnumSchema]

    /// A schema of `models` and the types that they use.
    public init(models: [ModelSchema], embeddedTypes: [EmbeddedSchema] = [], enums: [EnumSchema] = []) {
        self.models = models
        self.embeddedTypes = embeddedTypes
        self.enums = enums
    }

    /// The model called `name`, or `nil` if there is none.
    public func model(named name: String) -> ModelSchema? { models.first { $0.name == name } }
}

/// One model: its fields, its key, its indexes.
public struct ModelSchema: Sendable, Hashable {
    /// The model's name, unique in the schema.
    public var name: String
    /// The fields, in declaration order.
    public var fields: [FieldSchema]
    /// The names of the fields that identify a record, in order. Each field must be required and have an ordered type.
    public var primaryKey: [String]
    /// The secondary indexes.
    public var indexes: [IndexSchema]
    /// The relations to other models. They define how related records are found, and which records are deleted together.
    public var associations: [Association]
    /// The directives that this version of the engine stores without interpreting them (`@auth` and others), as SDL text.
    public var directives: [String]
    /// The schema's description of the model.
    public var documentation: String?

    /// A model called `name`.
    public init(
        name: String, fields: [FieldSchema], primaryKey: [String] = ["id"], indexes: [IndexSchema] = [],
        associations: [Association] = [], directives: [String] = [], documentation: String? = nil
    ) {
        self.name = name
        self.fields = fields
        self.primaryKey = primaryKey
        self.indexes = indexes
        self.associations = associations
        self.directives = directives
        self.documentation = documentation
    }

    /// The field called `name`, or `nil` if there is none.
    public func field(named name: String) -> FieldSchema? { fields.first { $0.name == name } }
}

/// One field of a model or embedded type.
public struct FieldSchema: Sendable, Hashable {
    /// The field's name, unique in its type.
    public var name: String
    /// The field's type.
    public var type: FieldType
    /// Whether every row must have a value here.
    public var isRequired: Bool
    /// Whether only a server sets this field (for example `createdAt`, `updatedAt`).
    public var isReadOnly: Bool
    /// The default value, which is used if a writer sets no value. `nil` if the schema declares none.
    public var defaultValue: FieldValue?
    /// The directives that are stored but not interpreted, as SDL text.
    public var directives: [String]
    /// The declared scalar of the schema language (for example `AWSEmail`) for a text field or a list of texts.
    ///
    /// It is `nil` if ``type`` already determines the scalar.
    public var scalar: String?
    /// The schema's description of the field.
    public var documentation: String?

    /// A field called `name`.
    public init(
        _ name: String, _ type: FieldType, isRequired: Bool = false, isReadOnly: Bool = false,
        defaultValue: FieldValue? = nil, directives: [String] = [], scalar: String? = nil,
        documentation: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.isReadOnly = isReadOnly
        self.defaultValue = defaultValue
        self.directives = directives
        self.scalar = scalar
        self.documentation = documentation
    }
}

/// A secondary index: rows sorted by the values of some fields, then by key.
public struct IndexSchema: Sendable, Hashable {
    /// The index's name, unique in its model.
    public var name: String
    /// The indexed fields, in order. Each field must have an ordered type.
    public var fields: [String]
    /// The name of the server's query over this index, or `nil` if the schema declares none.
    public var queryField: String?

    /// An index called `name` over `fields`.
    public init(name: String, fields: [String], queryField: String? = nil) {
        self.name = name
        self.fields = fields
        self.queryField = queryField
    }
}

/// A type that is stored inside the rows of models.
public struct EmbeddedSchema: Sendable, Hashable {
    /// The type's name, unique in the schema.
    public var name: String
    /// The fields, in declaration order.
    public var fields: [FieldSchema]
    /// The schema's description of the type.
    public var documentation: String?

    /// An embedded type called `name`.
    public init(name: String, fields: [FieldSchema], documentation: String? = nil) {
        self.name = name
        self.fields = fields
        self.documentation = documentation
    }
}

/// A closed set of texts.
public struct EnumSchema: Sendable, Hashable {
    /// The enum's name, unique in the schema.
    public var name: String
    /// The raw texts, in declaration order.
    public var cases: [String]
    /// The schema's description of the enum.
    public var documentation: String?

    /// An enum called `name`.
    public init(name: String, cases: [String], documentation: String? = nil) {
        self.name = name
        self.cases = cases
        self.documentation = documentation
    }
}

/// A relation from one model to another.
public struct Association: Sendable, Hashable {
    /// The four kinds of Amplify's schema language.
    public enum Kind: String, Sendable, Hashable {
        case hasOne, hasMany, belongsTo, manyToMany
    }

    /// The name of the field for the relation. It is not a field of the row.
    public var name: String
    /// The kind of the relation.
    public var kind: Kind
    /// The name of the other model.
    public var target: String
    /// The fields of this model that contain the other model's key or are matched with its fields. May be empty.
    public var fields: [String]
    /// The name of the index or relation in the directive, or `nil` if there is none.
    public var indexOrRelationName: String?
    /// Whether the field is declared required.
    public var isRequired: Bool
    /// The largest number of records that a server returns if a query names no limit, or `nil` for the server's default.
    public var limit: UInt32?
    /// The directives of the field that are stored but not interpreted, as SDL text.
    public var directives: [String]
    /// The schema's description of the field.
    public var documentation: String?

    /// A relation to `target` through the field `name`.
    public init(
        name: String, kind: Kind, target: String, fields: [String] = [], indexOrRelationName: String? = nil,
        isRequired: Bool = false, limit: UInt32? = nil, directives: [String] = [], documentation: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.target = target
        self.fields = fields
        self.indexOrRelationName = indexOrRelationName
        self.isRequired = isRequired
        self.limit = limit
        self.directives = directives
        self.documentation = documentation
    }
}

extension ModelSchema {
    /// Whether the model's records stay on this device. This is the case if its directives include `@localOnly`.
    public var isLocalOnly: Bool {
        get { directives.contains("@localOnly") }
        set {
            directives.removeAll { $0 == "@localOnly" }
            if newValue { directives.append("@localOnly") }
        }
    }
}
