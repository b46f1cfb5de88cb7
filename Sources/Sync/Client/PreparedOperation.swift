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

/// The document of an operation with one field, and the values of its variables.
struct OperationDocument: Sendable {
    let text: String
    let arguments: [OperationArgument]

    /// The request as JSON.
    var json: [UInt8] {
        var writer = JSONWriter()
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
