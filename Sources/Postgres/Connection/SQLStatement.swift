/// A statement for PostgreSQL with the values of its parameters `$1`, `$2` and so on.
///
/// Values are always parameters, never a part of the text.
struct SQLStatement: Sendable {
    let text: String
    var values: [SQLParameter] = []
    /// Whether a connection prepares the text once and then uses its plan again. This is right for texts that never vary.
    var isPrepared = false

    init(_ text: String, _ values: [SQLParameter] = []) {
        self.text = text
        self.values = values
    }

    /// A statement whose text is prepared once for each connection.
    static func prepared(_ text: String, _ values: [SQLParameter] = []) -> SQLStatement {
        var statement = SQLStatement(text, values)
        statement.isPrepared = true
        return statement
    }
}
