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
