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
