/// One thing that changes when one schema takes the place of another.
public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
    /// The name of the model, embedded type or enum concerned; `nil` for the schema as a whole.
    public let type: String?
    /// The name of the field, index, enum case or relation concerned; `nil` for the type as a whole.
    public let member: String?
    /// What changes, as a clause: `field added`, `type changed from String to Int`.
    public let text: String
    /// Whether a store with data can take the change: nothing stored loses its place or meaning.
    public let isLossless: Bool
    /// Whether the newer schema leaves out the model, type, enum, field or case that is named.
    public let isRemoval: Bool

    /// The place and the clause: `City.name: field added`.
    public var description: String {
        let place = [type, member].compactMap { $0 }.joined(separator: ".")
        return place.isEmpty ? text : "\(place): \(text)"
    }
}
