public import TidelogCore
public import TidelogJSON

/// Why a JSON text is no record of its model, and where.
///
/// `description` names fields and places, never the data.
public struct RecordJSONError: Error, Sendable, Hashable {
    /// The kinds of failure. New ones may come: branch with a `default`.
    public enum Code: Sendable, Hashable {
        /// The text is not JSON, or something follows the value.
        case malformed
        /// A key is no field of its type.
        case unknownField
        /// A key stands twice in one object.
        case duplicateField
        /// A required field has no value and the schema names none.
        case missingField
        /// An element of a list is `null` if the schema requires a value.
        case missingElement
        /// A value is of another JSON kind than its field.
        case wrongType
        /// A number is beyond the range of its field.
        case outOfRange
        /// A text is not the date or time that its field holds.
        case invalidTemporal
        /// Values nest deeper than a row may.
        case tooDeep
        /// The text or its row is larger than a limit.
        case tooLarge
    }

    /// What kind of failure this is.
    public let code: Code
    /// What is wrong, as a clause for people.
    public let message: String
    /// Where it is wrong: at the key, the value, or the brace of the object that lacks something.
    public let position: JSONPosition
    /// The name of the record's model.
    public let model: String
    /// The field concerned, behind the name of its model or embedded type: `City.name`; `nil` if it is none.
    public let field: String?

    /// A failure of kind `code` at `position`.
    public init(_ code: Code, _ message: String, at position: JSONPosition, model: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.model = model
        self.field = field
    }
}

extension RecordJSONError: CustomStringConvertible {
    /// `line:column: Model.field: what is wrong`; the column counts bytes from 1.
    public var description: String { "\(position.line):\(position.column): \(field ?? model): \(message)" }
}

extension RecordJSONError {
    /// The same failure as a store reports it, with code `invalidValue`.
    public var dataStoreError: DataStoreError {
        DataStoreError(.invalidValue, "\(description).", model: model, recovery: "Give JSON that the schema allows.")
    }

    /// A failure of the JSON text itself.
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
