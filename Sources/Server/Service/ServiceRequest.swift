internal import TidelogAgreement
package import TidelogGraphQLExecution
internal import TidelogJSON

/// A GraphQL request.
package struct ServiceRequest: Sendable {
    /// The document.
    package var query: String
    /// The values of the variables.
    package var variables = InputObject()
    /// The name of the operation to execute, needed if the document has several.
    package var operationName: String?
    /// The ids of the mutations, 1 to 64 bytes each, in the order of their root fields. If a caller sends an id again, the
    /// service does not repeat the change. Empty if the request has no ids.
    package private(set) var mutations: [String] = []

    /// Whether the request may contain mutations.
    package var takesMutations = true

    package init(_ query: String, variables: InputObject = InputObject(), operationName: String? = nil) {
        self.query = query
        self.variables = variables
        self.operationName = operationName
    }

    /// Parses the body of a POST. Members that do not belong to GraphQL are ignored.
    ///
    /// - Throws: ``ServiceRequest.Malformed``.
    package init(body: [UInt8]) throws(Malformed) {
        guard !body.isEmpty else { throw Malformed(message: "Request body is empty.") }
        do {
            self = try JSONReader.read(body) { reader in
                let request = try Self.read(&reader)
                try reader.expectEnd()
                return request
            }
        } catch {
            throw Malformed(message: "Unable to parse GraphQL query.")
        }
    }

    /// Reads the ids of the mutations from the value of their header; `nil` if the request has no such header.
    ///
    /// - Throws: ``ServiceRequest.Malformed``.
    package mutating func setMutations(header: String?) throws(Malformed) {
        guard let header else { return mutations = [] }
        guard let ids = MutationHeader.ids(in: header) else {
            throw Malformed(
                message: "\(MutationHeader.name) has an id for each mutation, separated by commas: 1 to "
                    + "\(MutationHeader.maximumByteCount) visible ASCII characters, each id once.")
        }
        mutations = ids
    }

    private static func read(_ reader: inout JSONReader) throws -> ServiceRequest {
        var request = ServiceRequest("")
        var hasQuery = false
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            switch key {
            case "query":
                request.query = try reader.readString()
                hasQuery = true
            case "operationName":
                if try !reader.readNullIfPresent() { request.operationName = try reader.readString() }
            case "variables":
                if try !reader.readNullIfPresent() {
                    guard case .object(let object) = try InputValue(reading: &reader) else { throw JSONMisfit() }
                    request.variables = object
                }
            default: try reader.skipValue()
            }
        }
        guard hasQuery else { throw JSONMisfit() }
        return request
    }

    private struct JSONMisfit: Error {}

    /// The reason why a body is not a valid request.
    package struct Malformed: Error, Sendable {
        /// The reason, as one sentence.
        package var message: String
    }

    /// Makes a request from the query of a GET. Such a request may not contain mutations.
    ///
    /// - Parameters:
    ///   - query: The document.
    ///   - variables: The values of the variables, as a JSON object.
    ///   - operationName: The name of the operation to execute.
    /// - Throws: ``ServiceRequest.Malformed``.
    package init(query: String?, variables: String?, operationName: String?) throws(Malformed) {
        guard let query, !query.isEmpty else { throw Malformed(message: "The query is missing.") }
        self.init(query)
        takesMutations = false
        if let operationName, !operationName.isEmpty { self.operationName = operationName }
        guard let variables, !variables.isEmpty else { return }
        do {
            guard let object = try Self.object(Array(variables.utf8)) else { return }
            self.variables = object
        } catch {
            throw Malformed(message: "The variables are no JSON object.")
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
