internal import TidelogJSON

/// A GraphQL response to an operation with one field.
struct ServerResponse: Sendable {
    /// The name of the field.
    let field: String
    /// The field's value as JSON; `nil` if it is null or missing.
    let value: [UInt8]?
    /// Whether the response has the field, with a value or null.
    let hasField: Bool
    let errors: [GraphQLResponseError]
    /// The HTTP status, if it is not 200.
    let status: Int?

    /// Reads the body of `response`. If the body has no errors of GraphQL, AppSync's header names the error.
    init(_ response: TransportResponse, field: String) throws(GraphQLClientError) {
        self = try Content(response, fields: [field]).response(field)
    }

    private init(field: String, value: [UInt8]?, hasField: Bool, errors: [GraphQLResponseError], status: Int?) {
        self.field = field
        self.value = value
        self.hasField = hasField
        (self.errors, self.status) = (errors, status)
    }

    /// Reads a response from JSON.
    init(_ json: [UInt8], field: String, status: Int? = nil) throws(GraphQLClientError) {
        self = try Content(json, fields: [field], status: status).response(field)
    }

    /// The parts of a response for each field of an operation. An error without a path concerns every field that has no value.
    static func each(
        of fields: [String], in response: TransportResponse
    ) throws(GraphQLClientError) -> [ServerResponse] {
        let content = try Content(response, fields: Set(fields))
        guard fields.count > 1 else { return fields.map { content.response($0) } }
        return fields.map { field in
            let part = content.response(field)
            let own = part.errors.filter { $0.path.first == field }
            let shared = part.value == nil && own.isEmpty ? part.errors.filter(\.path.isEmpty) : []
            return ServerResponse(
                field: field, value: part.value, hasField: part.hasField, errors: own + shared, status: part.status)
        }
    }

    /// The body of a response.
    private struct Content {
        /// The values of fields as JSON, `nil` for null, by the names of the fields.
        var values: [String: [UInt8]?] = [:]
        var errors: [GraphQLResponseError] = []
        /// The HTTP status, if it is not 200.
        let status: Int?

        /// Reads the body of a response. If it has no errors of GraphQL, AppSync's header names the error.
        init(_ response: TransportResponse, fields: Set<String>) throws(GraphQLClientError) {
            let status = response.status == 200 ? nil : response.status
            guard status != nil, let name = response.headers["x-amzn-errortype"] else {
                try self.init(response.body, fields: fields, status: status)
                return
            }
            if let read = try? Content(response.body, fields: fields, status: status), !read.errors.isEmpty {
                self = read
                return
            }
            // The name of the error may be followed by a colon and an address.
            let type = String(name.prefix { $0 != ":" })
            let error = GraphQLResponseError(message: "The server sent the error \(type).", errorType: type)
            self.init(errors: [error], status: status)
        }

        private init(errors: [GraphQLResponseError], status: Int?) { (self.errors, self.status) = (errors, status) }

        init(_ json: [UInt8], fields: Set<String>, status: Int?) throws(GraphQLClientError) {
            self.status = status
            do {
                try JSONReader.read(json) { reader in
                    try reader.beginObject()
                    while let key = try reader.nextKey()?.string {
                        switch key {
                        case "data": try readValues(of: fields, &reader)
                        case "errors":
                            if try reader.readNullIfPresent() { continue }
                            try reader.beginArray()
                            while try reader.nextElement() { errors.append(try ServerResponse.error(&reader)) }
                        default: try reader.skipValue()
                        }
                    }
                    try reader.expectEnd()
                }
            } catch {
                throw GraphQLClientError(
                    foreign: "The response is no response of GraphQL", status: status, underlying: error)
            }
        }

        /// The response to one field, with all errors.
        func response(_ field: String) -> ServerResponse {
            ServerResponse(
                field: field, value: values[field] ?? nil, hasField: values[field] != nil, errors: errors,
                status: status)
        }

        private mutating func readValues(of fields: Set<String>, _ reader: inout JSONReader) throws {
            if try reader.readNullIfPresent() { return }
            try reader.beginObject()
            while let key = try reader.nextKey()?.string {
                guard fields.contains(key) else {
                    try reader.skipValue()
                    continue
                }
                values.updateValue(try reader.readNullIfPresent() ? nil : Array(try reader.readRawValue()), forKey: key)
            }
        }
    }

    /// Fails if the response has errors.
    func checkErrors() throws(GraphQLClientError) { if !errors.isEmpty || status != nil { throw failure } }

    /// The field's value.
    func required() throws(GraphQLClientError) -> [UInt8] {
        guard let value else { throw failure }
        return value
    }

    /// The failure that describes the response.
    var failure: GraphQLClientError {
        guard errors.isEmpty else { return GraphQLClientError(errors, status: status) }
        guard status == nil else { return GraphQLClientError(foreign: "The response names no error", status: status) }
        return GraphQLClientError(.malformedResponse, "The server gave null for \(field) and no error.")
    }

    /// Whether the server refuses the caller. A status alone does not mean this, because a firewall, a proxy or the sign-in
    /// page of a network answers with the same statuses. The response also has an error of GraphQL.
    var refusesCaller: Bool { !errors.isEmpty && failure.refusesCaller }

    static func error(_ reader: inout JSONReader) throws -> GraphQLResponseError {
        var (message, errorType) = ("The server gave no reason.", String?.none)
        var (path, data) = ([String](), [UInt8]?.none)
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            switch (key, try reader.peekKind()) {
            case ("message", .string): message = try reader.readString()
            case ("errorType", .string): errorType = try reader.readString()
            case ("path", .array):
                try reader.beginArray()
                while try reader.nextElement() {
                    if try reader.peekKind() == .string {
                        path.append(try reader.readString())
                    } else {
                        path.append(String(decoding: try reader.readRawValue(), as: UTF8.self))
                    }
                }
            case ("data", .object): data = Array(try reader.readRawValue())
            default: try reader.skipValue()
            }
        }
        return GraphQLResponseError(message: message, errorType: errorType, path: path, data: data)
    }

    /// The elements of a connection, each as JSON or `nil` for null, and the token of the next page.
    static func connection(_ json: [UInt8]) throws(GraphQLClientError) -> (items: [[UInt8]?], nextToken: String?) {
        var items: [[UInt8]?]?
        var nextToken: String?
        do {
            try JSONReader.read(json) { reader in
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    switch key {
                    case "items":
                        if try reader.readNullIfPresent() { continue }
                        var found: [[UInt8]?] = []
                        try reader.beginArray()
                        while try reader.nextElement() {
                            found.append(try reader.readNullIfPresent() ? nil : Array(try reader.readRawValue()))
                        }
                        items = found
                    case "nextToken": nextToken = try reader.readNullIfPresent() ? nil : try reader.readString()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            throw GraphQLClientError(.malformedResponse, "The page is no connection.", underlying: error)
        }
        guard let items else { throw GraphQLClientError(.malformedResponse, "The page has no list of records.") }
        return (items, nextToken)
    }
}
