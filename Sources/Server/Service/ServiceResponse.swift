package import TidelogGraphQL
internal import TidelogJSON

/// A GraphQL response.
package struct ServiceResponse: Sendable {
    /// What the operation gave; null if it was not executed.
    package var data: ResponseValue
    /// What went wrong.
    package var errors: [GraphQLError]
    /// Why the request cannot be understood: its document is not GraphQL or too large, or it does not say which operation
    /// is meant. Over HTTP that is status 400.
    package private(set) var malformed: MalformedRequest?
    /// How it was made, if that was asked for.
    package var report: RequestReport?

    package init(data: ResponseValue, errors: [GraphQLError] = []) { (self.data, self.errors) = (data, errors) }

    /// The response to a request that is not executed.
    init(_ error: RequestErrors) {
        self.init(data: .null, errors: error.errors)
        guard let first = error.errors.first else { return }
        switch error.subject {
        case .syntax:
            let place = first.locations.first.map { " (line \($0.line), column \($0.column))" } ?? ""
            malformed = MalformedRequest(message: "Unable to parse GraphQL query: \(first.message)\(place)")
        case .operationName: malformed = MalformedRequest(message: first.message)
        case .validity: break
        }
    }

    /// The response as JSON.
    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("data")
        data.write(to: &writer)
        if !errors.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for error in errors { error.write(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension ResponseValue {
    /// Writes the value as JSON.
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
            for (name, value) in zip(object.names, object.values) {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension GraphQLError {
    /// Writes the error with all members that AppSync gives, null where there is nothing.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("path")
        if path.isEmpty {
            writer.null()
        } else {
            writer.beginArray()
            for element in path {
                switch element {
                case .field(let name): writer.string(name)
                case .index(let index): writer.int(Int64(index))
                }
            }
            writer.endArray()
        }
        writer.key("data")
        (data ?? .null).write(to: &writer)
        writer.key("errorType")
        (errorType.map { .string($0) } ?? ResponseValue.null).write(to: &writer)
        writer.key("errorInfo")
        (errorInfo ?? .null).write(to: &writer)
        writer.key("locations")
        if locations.isEmpty {
            writer.null()
        } else {
            writer.beginArray()
            for location in locations {
                writer.beginObject()
                writer.key("line")
                writer.int(Int64(location.line))
                writer.key("column")
                writer.int(Int64(location.column))
                writer.key("sourceName")
                writer.null()
                writer.endObject()
            }
            writer.endArray()
        }
        writer.key("message")
        writer.string(message)
        writer.endObject()
    }
}
