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
