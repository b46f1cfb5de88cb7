internal import TidelogGraphQL
internal import TidelogJSON

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
