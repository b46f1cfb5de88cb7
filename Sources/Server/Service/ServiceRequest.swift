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

extension InputValue {
    /// Reads the value at the position of `reader`.
    init(reading reader: inout JSONReader) throws {
        switch try reader.peekKind() {
        case .null:
            try reader.readNull()
            self = .null
        case .bool: self = .bool(try reader.readBool())
        case .number:
            let number = try reader.readNumber()
            if let whole = number.int64 {
                self = .int(whole)
            } else {
                self = .double(number.double ?? .infinity)
            }
        case .string: self = .string(try reader.readString())
        case .array:
            var elements: [InputValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try InputValue(reading: &reader)) }
            self = .list(elements)
        case .object:
            var members: [InputObject.Member] = []
            try reader.beginObject()
            while let key = try reader.nextKey()?.string {
                members.append(.init(name: key, value: try InputValue(reading: &reader)))
            }
            self = .object(InputObject(members))
        }
    }

    /// The value as JSON. The members of objects are sorted by name.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Writes the value as JSON. The members of objects are sorted by name.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let truth): writer.bool(truth)
        case .int(let number): writer.int(number)
        case .double(let number): writer.double(number)
        case .string(let text): writer.string(text)
        case .list(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members.sorted(by: { $0.name < $1.name }) {
                writer.key(member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
