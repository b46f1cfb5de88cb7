internal import TidelogGraphQLExecution
internal import TidelogJSON

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
            let names = object.sharedNames
            for (index, value) in object.values.enumerated() {
                if let keys = names.jsonKeys { writer.rawKey(keys[index]) } else { writer.key(names.names[index]) }
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

extension GraphQLError {
    /// Writes the error with all members of AppSync's errors. Missing values are null. AppSync's messages suggest no names, so
    /// a suggestion is in the member that GraphQL reserves for extensions.
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
        if let suggestion = violation?.suggestion {
            writer.key("extensions")
            writer.beginObject()
            writer.key("suggestion")
            writer.string("Did you mean \"\(suggestion)\"?")
            writer.endObject()
        }
        writer.endObject()
    }
}
