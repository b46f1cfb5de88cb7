package import TidelogGraphQL
internal import TidelogJSON
internal import TidelogWire

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
        (self.query, self.variables, self.operationName) = (query, variables, operationName)
    }

    /// Parses the body of a POST. Members that do not belong to GraphQL are ignored.
    ///
    /// - Throws: ``MalformedRequest``.
    package init(body: [UInt8]) throws(MalformedRequest) {
        guard !body.isEmpty else { throw MalformedRequest(message: "Request body is empty.") }
        do {
            self = try JSONReader.read(body) { reader in
                let request = try Self.read(&reader)
                try reader.expectEnd()
                return request
            }
        } catch {
            throw MalformedRequest(message: "Unable to parse GraphQL query.")
        }
    }

    /// Reads the ids of the mutations from the value of their header; `nil` if the request has no such header.
    ///
    /// - Throws: ``MalformedRequest``.
    package mutating func setMutations(header: String?) throws(MalformedRequest) {
        guard let header else { return mutations = [] }
        guard let ids = MutationHeader.ids(in: header) else {
            throw MalformedRequest(
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
}

/// The reason why a body is not a valid request.
package struct MalformedRequest: Error, Sendable {
    /// The reason, as one sentence.
    package var message: String
}
