/// The first value of a row that no store accepts: its field, and the reason.
///
/// This is a class so that an encoder without a refusal is small.
package final class RowRefusal: Sendable, CustomStringConvertible {
    /// The position of the field in the declaration of its model or embedded type.
    package let ordinal: Int
    /// The name of the field.
    package let field: String
    /// The reason, as a part of a sentence. It contains no data of the record.
    package let reason: String
    private let owner: String

    /// - Parameter owner: The name of the model or embedded type.
    init(owner: String, ordinal: Int, field: String, _ reason: String) {
        self.owner = owner
        self.ordinal = ordinal
        self.field = field
        self.reason = reason
    }

    /// The field after the name of its model or embedded type, and the reason: `City.name: a required value is missing`.
    package var description: String { "\(owner).\(field): \(reason)" }
}
