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
