/// A custom scalar (§3.5.5): a scalar of the schema in addition to the five that GraphQL defines.
package struct CustomScalar: Sendable {
    /// The name of the type.
    package let name: String
    /// Coerces a value from a variable or a literal to an argument. The name of a literal enum value arrives as a text.
    package let coerceInput: @Sendable (InputValue) throws(InvalidValue) -> InputValue
    /// Converts a resolved value, which is never null, to a response value.
    package let coerceOutput: @Sendable (ResponseValue) throws(InvalidValue) -> ResponseValue

    /// Makes a scalar. Without closures, all values are kept unchanged.
    package init(
        name: String,
        coerceInput: @escaping @Sendable (InputValue) throws(InvalidValue) -> InputValue = { $0 },
        coerceOutput: @escaping @Sendable (ResponseValue) throws(InvalidValue) -> ResponseValue = { $0 }
    ) {
        self.name = name
        self.coerceInput = coerceInput
        self.coerceOutput = coerceOutput
    }

    /// The reason why a value is not valid for a scalar type, as a sentence without a full stop.
    package struct InvalidValue: Error, Sendable, Hashable {
        /// The reason.
        package let message: String

        /// Makes an error.
        package init(_ message: String) { self.message = message }
    }
}
