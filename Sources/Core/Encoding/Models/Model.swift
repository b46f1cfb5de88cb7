/// A Swift type whose values are records of one model of the schema.
///
/// A conformance is static and cheap: it contains the model's schema, and writes and reads the model's fields. The generator
/// writes it from a GraphQL schema. A handwritten model is `Codable`, and the names of its properties are the names of the
/// fields:
///
/// ```swift
/// struct Note: Model, Codable {
///     var id: String
///     var title: String
///     var rating: Int?
///
///     static let schema = ModelSchema(
///         name: "Note",
///         fields: [
///             FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
///             FieldSchema("rating", .int),
///         ])
/// }
/// ```
///
/// Where speed counts, such a model writes and reads its fields itself, in declaration order, as generated models do:
///
/// ```swift
/// func encode(into row: inout RowEncoder) {
///     row.encode(id)
///     row.encode(title)
///     if let rating { row.encode(rating) } else { row.encodeMissing() }
/// }
///
/// init(from row: inout RowDecoder) throws(RowDamage) {
///     id = try row.decode(String.self)
///     title = try row.decode(String.self)
///     rating = try row.decodeIfPresent(Int.self)
/// }
/// ```
public protocol Model: Fetchable {
    /// The type of ``keys``, for predicates and sorts such as `Post.keys.title`. It is ``NoKeys`` unless the model declares
    /// one.
    associatedtype Keys: Sendable = NoKeys

    /// The model's fields and relations.
    static var keys: Keys { get }

    /// The model's declaration. The store's schema has a model with the same name and fields.
    static var schema: ModelSchema { get }

    /// Writes every field, in declaration order.
    func encode(into row: inout RowEncoder)
}

/// The keys of a model that does not declare a type called `Keys`.
public struct NoKeys: Sendable {
    /// No keys.
    public init() {}
}

extension Model where Keys == NoKeys {
    /// No keys.
    public static var keys: NoKeys { NoKeys() }
}

/// A ``RecordID`` with its model as a type, so that the compiler keeps ids of different models apart.
public struct ModelID<Target: Model>: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The untyped id.
    public let recordID: RecordID

    /// The id with these key values, in the order of the schema's primary key.
    public init(_ components: [FieldValue]) { recordID = RecordID(components) }

    /// The id of a record whose key is one text.
    public init(_ text: String) { recordID = RecordID(text) }

    /// The id of a record whose key is one text.
    public init(stringLiteral value: String) { self.init(value) }
}

/// A model that is `Encodable` writes its fields through this conformance.
///
/// The names of the coding keys are the names of the fields. A property of an embedded type is `Encodable` too. This is slower
/// than an own `encode(into:)`, as the generator writes it.
extension Model where Self: Encodable {
    /// Writes every field through the conformance to `Encodable`.
    public func encode(into row: inout RowEncoder) { row.encodeFields(of: self) }
}

/// A model that is `Decodable` reads its fields through this conformance.
extension Model where Self: Decodable {
    /// Reads every field through the conformance to `Decodable`.
    public init(from row: inout RowDecoder) throws(RowDamage) { self = try row.decodeFields(Self.self) }
}

extension RowEncoder {
    /// Writes all fields: the values that `value` encodes under their names.
    ///
    /// Refused are a value under another name, a value of another type than its field, and a value that cannot be encoded.
    fileprivate mutating func encodeFields(of value: some Encodable) {
        let fields = plan.pointee.layout.fields
        var values: [String: FieldValue] = [:]
        do {
            values = try FieldValueEncoder.fields(of: value)
            let unknown = values.keys.filter { name in !fields.contains { $0.name == name } }
            if let name = unknown.min() { fail("the model has no field \(name), which the value encodes") }
        } catch {
            fail("it cannot be encoded: \(error)")
        }
        for field in fields {
            guard let value = values[field.name] else {
                encodeMissing()
                continue
            }
            if let value = value.converted(to: field) {
                encode(value)
            } else {
                fail("the value does not fit the type \(field.type)")
                encodeMissing()
            }
        }
    }
}

extension RowDecoder {
    /// Reads all fields, and gives them to the initializer of `type` under their names.
    fileprivate mutating func decodeFields<Value: Decodable>(_ type: Value.Type) throws(RowDamage) -> Value {
        let fields = plan.pointee.layout.fields
        var values: [String: FieldValue] = [:]
        values.reserveCapacity(fields.count)
        for field in fields { values[field.name] = try FieldValue(view, field: field) }
        ordinal = fields.count
        do {
            return try Value(from: FieldValueDecoder(.embedded(values)))
        } catch {
            throw RowDamage("it is no \(type): \(error)")
        }
    }
}
