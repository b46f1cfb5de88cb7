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
public protocol Model: Sendable {
    /// The type of ``keys``, for predicates and sorts such as `Post.keys.title`. It is ``NoKeys`` unless the model declares
    /// one.
    associatedtype Keys: Sendable = NoKeys

    /// The model's fields and relations.
    static var keys: Keys { get }

    /// The model's declaration. The store's schema has a model with the same name and fields.
    static var schema: ModelSchema { get }

    /// Writes every field, in declaration order.
    func encode(into row: inout RowEncoder)

    /// Reads every field, in declaration order.
    init(from row: inout RowDecoder) throws(RowDamage)
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
    public init(stringLiteral value: String) { recordID = RecordID(value) }
}
