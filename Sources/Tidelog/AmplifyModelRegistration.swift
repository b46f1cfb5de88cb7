public import TidelogCore

/// The models of a schema as Swift types, for code that has only a model's name.
///
/// The line `registration: AmplifyModels` in the options file next to a schema makes the generator write a type called
/// `AmplifyModels`, which conforms to this protocol.
public protocol AmplifyModelRegistration: Sendable {
    /// The schema with all models.
    var schema: Schema { get }

    /// The Swift type of each model of the schema.
    var models: [any Model.Type] { get }

    /// A text that differs between schemas. By default it is a hash of the schema.
    var version: String { get }
}

extension AmplifyModelRegistration {
    /// The FNV-1a hash of the encoded schema, as 16 hexadecimal digits.
    public var version: String {
        let digits = String(SchemaCoding.encode(StoredSchema(first: schema)).stableHash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
