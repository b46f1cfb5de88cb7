/// What a scalar of the schema takes and gives (§3.5.5), beyond the five that GraphQL knows.
package struct CustomScalar: Sendable {
    /// The name of the type.
    package let name: String
    /// Makes the argument of a value that came as a variable or as a literal; a literal enum name comes as text.
    package let coerceInput: @Sendable (InputValue) throws(ScalarError) -> InputValue
    /// Makes the response of a resolved value, which is never null.
    package let coerceOutput: @Sendable (ResponseValue) throws(ScalarError) -> ResponseValue

    /// Makes a scalar; without closures it takes and gives every value as it is.
    package init(
        name: String,
        coerceInput: @escaping @Sendable (InputValue) throws(ScalarError) -> InputValue = { $0 },
        coerceOutput: @escaping @Sendable (ResponseValue) throws(ScalarError) -> ResponseValue = { $0 }
    ) {
        self.name = name
        self.coerceInput = coerceInput
        self.coerceOutput = coerceOutput
    }
}

/// Why a value is none of a scalar type, as a sentence without a full stop.
package struct ScalarError: Error, Sendable, Hashable {
    /// The sentence.
    package let message: String

    /// Makes an error.
    package init(_ message: String) { self.message = message }
}

/// How the values of a scalar type are coerced.
enum Scalar: Sendable {
    case int
    case float
    case string
    case boolean
    case id
    case custom(CustomScalar)

    /// The scalars of every schema (§3.5.1 … §3.5.5).
    static let builtIn: [String: Scalar] = [
        "Int": .int, "Float": .float, "String": .string, "Boolean": .boolean, "ID": .id,
    ]
}
