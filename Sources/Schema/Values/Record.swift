/// A record whose fields are addressed by name. Tools and servers use it where an app uses a model's own type.
public struct Record: Sendable, Hashable {
    /// The name of the record's model.
    public let model: String
    /// The values of the fields. A field without a value has no entry.
    public var values: [String: FieldValue]

    /// A record of `model` with these values. All other fields are missing.
    @inlinable public init(model: String, values: [String: FieldValue]) {
        self.model = model
        self.values = values
    }

    /// The value of the field called `name`, or `nil` if it is missing.
    @inlinable public subscript(name: String) -> FieldValue? {
        get { values[name] }
        set { values[name] = newValue }
    }
}
