public import TidelogCore
public import TidelogFoundation
public import TidelogJSON

/// The reason why a JSON text is not a record of its model, with the position of the error.
///
/// `description` contains the names of fields and the position, but never the data.
public struct RecordJSONError: Error, Sendable, Hashable {
    /// The kinds of failure. Later versions may add kinds, so branch with a `default`.
    public enum Code: Sendable, Hashable {
        /// The text is not JSON, or something follows the value.
        case malformed
        /// An object has a key that is not a field of its type.
        case unknownField
        /// An object has the same key twice.
        case duplicateField
        /// A required field has no value, and the schema gives no default.
        case missingField
        /// An element of a list is `null` although the schema requires a value.
        case missingElement
        /// A value has another JSON kind than its field.
        case wrongType
        /// A number is outside the range of its field.
        case outOfRange
        /// A text is not a valid date or time of its field.
        case invalidTemporal
        /// Values nest more deeply than a row allows.
        case tooDeep
        /// The text or its row is larger than a limit.
        case tooLarge
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, as a clause for people.
    public let message: String
    /// The position of the problem: the key, the value, or the brace of the object in which something is missing.
    @_spi(Adapters) public let position: JSONPosition
    /// The name of the record's model.
    public let model: String
    /// The field with the problem, after the name of its model or embedded type: `City.name`; `nil` if the problem is in no
    /// field.
    public let field: String?

    /// The line of the problem, from 1.
    public var line: Int { position.line }
    /// The column of the problem, from 1, counted in bytes.
    public var column: Int { position.column }

    /// Makes an error of the kind `code` at `position`.
    @_spi(Adapters) public init(
        _ code: Code, _ message: String, at position: JSONPosition, model: String, field: String? = nil
    ) {
        self.code = code
        self.message = message
        self.position = position
        self.model = model
        self.field = field
    }
}

extension RecordJSONError: CustomStringConvertible {
    /// `line:column: Model.field: problem`. The column counts bytes from 1.
    public var description: String { "\(position.line):\(position.column): \(field ?? model): \(message)" }
}

/// Gives `localizedDescription`, which apps show, the error's own text.
extension RecordJSONError: LocalizedError {
    /// The text for people: the position, the field and the problem.
    public var errorDescription: String? { "\(description)." }
}

extension RecordJSONError {
    /// The same failure as a store's error with code `invalidValue`.
    public var dataStoreError: DataStoreError {
        DataStoreError(.invalidValue, "\(description).", model: model, recovery: "Give JSON that the schema allows.")
    }

    /// Makes an error from a failure of the JSON text itself.
    init(_ error: JSONError, model: String, field: String?) {
        let code: Code =
            switch error.code {
            case .wrongKind, .notAnInteger: .wrongType
            case .integerOutOfRange, .doubleOutOfRange: .outOfRange
            case .tooDeep: .tooDeep
            case .documentTooLong, .lineTooLong, .numberTooLong: .tooLarge
            default: .malformed
            }
        self.init(code, error.message, at: error.position, model: model, field: field)
    }
}
