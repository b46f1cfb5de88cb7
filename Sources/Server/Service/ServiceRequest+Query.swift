internal import TidelogGraphQL
internal import TidelogJSON

extension ServiceRequest {
    /// Makes a request from the query of a GET. Such a request may not contain mutations.
    ///
    /// - Parameters:
    ///   - query: The document.
    ///   - variables: The values of the variables, as a JSON object.
    ///   - operationName: The name of the operation to execute.
    /// - Throws: ``MalformedRequest``.
    package init(query: String?, variables: String?, operationName: String?) throws(MalformedRequest) {
        guard let query, !query.isEmpty else { throw MalformedRequest(message: "The query is missing.") }
        self.init(query)
        takesMutations = false
        if let operationName, !operationName.isEmpty { self.operationName = operationName }
        guard let variables, !variables.isEmpty else { return }
        do {
            guard let object = try Self.object(Array(variables.utf8)) else { return }
            self.variables = object
        } catch {
            throw MalformedRequest(message: "The variables are no JSON object.")
        }
    }

    /// The JSON object in `text`; `nil` for null.
    private static func object(_ text: [UInt8]) throws -> InputObject? {
        switch try JSONReader.read(text, { try InputValue(reading: &$0) }) {
        case .object(let object): return object
        case .null: return nil
        default: throw NoObject()
        }
    }

    private struct NoObject: Error {}
}
