/// A value of a request that does not fit the type that is expected at its place.
package struct WrongValue: Sendable, Hashable {
    /// The value as the request contains it.
    package enum Given: Sendable, Hashable {
        /// A literal of the document.
        case literal(Value)
        /// A variable's value, or a part of it.
        case input(InputValue)
    }

    /// The reason why the value does not fit.
    package enum Mistake: Sendable, Hashable {
        /// The value is null, and the type does not allow null.
        case null
        /// The value does not fit the scalar or the enum.
        case leaf(isEnum: Bool)
        /// The value is no object.
        case noObject
        /// The object lacks required fields.
        case missingFields([String])
        /// The object has a field that its type does not have.
        case unknownField(String)
    }

    /// The value.
    package var given: Given
    /// The reason why the value does not fit.
    package var mistake: Mistake
    /// The name of the expected type, without the wrappers for lists and non-null.
    package var type: String
    /// The place of a literal: the argument, and the fields and indexes to the value, such as `input.tags[0]`. For a value of a
    /// variable, it is the innermost field, or the variable.
    package var place: String

    init(_ given: Given, _ mistake: Mistake, type: String, place: String) {
        self.given = given
        self.mistake = mistake
        self.type = type
        self.place = place
    }
}
