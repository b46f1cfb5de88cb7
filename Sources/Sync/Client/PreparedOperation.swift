internal import TidelogAgreement
internal import TidelogJSON

/// An operation in the form in which it is sent, with the reader of its response.
struct PreparedOperation<Answer: Sendable>: Sendable {
    /// The request as JSON: the document and the values of its variables.
    let body: [UInt8]
    /// The name of the one field that the document selects.
    let field: String
    let read: @Sendable (ServerResponse) throws(GraphQLClientError) -> Answer

    init(
        _ document: OperationDocument, field: String,
        _ read: @escaping @Sendable (ServerResponse) throws(GraphQLClientError) -> Answer
    ) {
        body = document.json
        self.field = field
        self.read = read
    }
}

/// The document of an operation, and the values of its variables.
struct OperationDocument: Sendable {
    let text: String
    let arguments: [OperationArgument]

    init(text: String, arguments: [OperationArgument]) { (self.text, self.arguments) = (text, arguments) }

    /// A document with the one field `field`.
    init(_ kind: String, _ field: String, _ arguments: [OperationArgument], selecting selection: String) {
        var variables = arguments.map { "$\($0.name): \($0.type)" }.joined(separator: ", ")
        var given = arguments.map { "\($0.name): $\($0.name)" }.joined(separator: ", ")
        if !arguments.isEmpty { (variables, given) = ("(\(variables))", "(\(given))") }
        self.init(
            text: "\(kind) \(Names.upperFirst(field))\(variables) { \(field)\(given) { \(selection) } }",
            arguments: arguments)
    }

    /// The request as JSON.
    var json: [UInt8] {
        var writer = JSONWriter(reserving: arguments.reduce(2 * text.utf8.count + 64) { $0 + $1.json.count + 32 })
        writer.beginObject()
        writer.key("query")
        writer.string(text)
        writer.key("variables")
        writer.beginObject()
        for argument in arguments {
            writer.key(argument.name)
            argument.json.withUnsafeBytes { writer.rawValue($0) }
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
