internal import TidelogJSON

/// A GraphQL response to an operation with one field.
struct ServerResponse: Sendable {
    /// The name of the field.
    let field: String
    /// The field's value as JSON; `nil` if it is null or missing.
    let value: [UInt8]?
    let errors: [GraphQLResponseError]
    /// The HTTP status, if it is not 200.
    let status: Int?

    /// Reads the body of `response`.
    init(_ response: TransportResponse, field: String) throws(GraphQLClientError) {
        try self.init(response.body, field: field, status: response.status == 200 ? nil : response.status)
    }

    /// Reads a response from JSON.
    init(_ json: [UInt8], field: String, status: Int? = nil) throws(GraphQLClientError) {
        var value: [UInt8]?
        var errors: [GraphQLResponseError] = []
        do {
            try JSONReader.read(json) { reader in
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    switch key {
                    case "data": value = try Self.member(field, &reader)
                    case "errors":
                        if try reader.readNullIfPresent() { continue }
                        try reader.beginArray()
                        while try reader.nextElement() { errors.append(try Self.error(&reader)) }
                    default: try reader.skipValue()
                    }
                }
                try reader.expectEnd()
            }
        } catch {
            throw GraphQLClientError(
                GraphQLClientError.code(ofStatus: status) ?? .malformedResponse,
                "The response is no response of GraphQL" + (status.map { ", and its status is \($0)." } ?? "."),
                status: status, cause: error)
        }
        self.field = field
        self.value = value
        self.errors = errors
        self.status = status
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
        return GraphQLClientError(
            GraphQLClientError.code(ofStatus: status) ?? .malformedResponse,
            "The server gave null for \(field) and no error.", status: status)
    }

    /// The member `name` of the next object; `nil` if the member or the object is null.
    private static func member(_ name: String, _ reader: inout JSONReader) throws -> [UInt8]? {
        if try reader.readNullIfPresent() { return nil }
        var value: [UInt8]?
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            if key == name, try !reader.readNullIfPresent() {
                value = Array(try reader.readRawValue())
            } else if key != name {
                try reader.skipValue()
            }
        }
        return value
    }

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
            throw GraphQLClientError(.malformedResponse, "The page is no connection.", cause: error)
        }
        guard let items else { throw GraphQLClientError(.malformedResponse, "The page has no list of records.") }
        return (items, nextToken)
    }
}
