/// One change between two schemas.
public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
    /// The name of the changed model, embedded type or enum, or `nil` for the schema as a whole.
    public let type: String?
    /// The name of the changed field, index, enum case or relation, or `nil` for the type as a whole.
    public let member: String?
    /// A description of the change as a clause, for example `field added` or `type changed from String to Int`.
    public let text: String
    /// Whether a store with data can apply the change, because no stored data is lost or changes its meaning.
    public let isLossless: Bool
    /// Whether the new schema does not have the named model, type, enum, field or case.
    public let isRemoval: Bool

    /// The place and the description: `City.name: field added`.
    public var description: String {
        let place = [type, member].compactMap { $0 }.joined(separator: ".")
        return place.isEmpty ? text : "\(place): \(text)"
    }
}
