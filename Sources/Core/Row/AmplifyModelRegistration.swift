/// The models of a schema as Swift types, for code that knows a model by its name alone.
///
/// The line `registration: AmplifyModels` in the options beside a schema makes the generator write a type of that name, which
/// conforms to this protocol.
public protocol AmplifyModelRegistration: Sendable {
    /// The schema with all models.
    var schema: Schema { get }

    /// The Swift type of each model of the schema.
    var models: [any Model.Type] { get }

    /// A text that differs between schemas: the schema's hash unless something else is declared.
    var version: String { get }
}

extension AmplifyModelRegistration {
    /// The FNV-1a hash of the encoded schema, as 16 hexadecimal digits.
    public var version: String {
        let digits = String(SchemaCoding.encode(StoredSchema(first: schema)).stableHash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
