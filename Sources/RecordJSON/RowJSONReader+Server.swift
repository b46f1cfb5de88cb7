@_spi(Adapters) package import TidelogCore
package import TidelogJSON

/// Reads objects in the responses of a GraphQL server.
///
/// Such an object has more members than the fields of the model: metadata, `__typename`, relations, connections, and fields
/// that this build does not declare. The reader skips these members, in embedded values too. A member named `_version`,
/// `_lastChangedAt` or `_deleted` is metadata unless the model declares a field of that name. `null` is always a missing value,
/// because the default of an optional field is for new records, and the server's record is not new. A required field that is
/// missing or `null` gets its default. It is an error if there is no default.
extension RowJSONReader {
    /// Reads the object in `json` and appends its row to `arena`. If the object says that the server deleted the record,
    /// nothing is appended, and only the key fields are read.
    ///
    /// - Parameters:
    ///   - origin: The position of `json` in a larger text, for the positions of errors.
    ///   - ignoresDeletion: Whether the reader reads the fields of a deleted record too, as if it were not deleted.
    /// - Throws: ``RecordJSONError``. The arena is then unchanged.
    package mutating func append(
        serverObject json: UnsafeRawBufferPointer, origin: JSONPosition = .start, ignoresDeletion: Bool = false,
        to arena: ByteArena
    ) throws(RecordJSONError) -> ServerObject {
        var reader = JSONReader(json, origin: origin)
        let read = appendInOrder(&reader, endsText: true, ignoresDeletion: ignoresDeletion, toServerObject: arena)
        if let read { return read }
        return try appendInTwoPasses(json, origin: origin, ignoresDeletion: ignoresDeletion, to: arena)
    }

    /// Does the same for the object at the position of `reader`, which is then after the object.
    ///
    /// - Throws: ``JSONError`` if the value is not valid JSON.
    package mutating func append(
        serverObjectAt reader: inout JSONReader, to arena: ByteArena
    ) throws(JSONError) -> Result<ServerObject, RecordJSONError> {
        var object = reader
        if let read = appendInOrder(&object, endsText: false, ignoresDeletion: false, toServerObject: arena) {
            reader = object
            return .success(read)
        }
        let json = try reader.readRawValue()
        return Result { () throws(RecordJSONError) in
            try appendInTwoPasses(json, origin: .start, ignoresDeletion: false, to: arena)
        }
    }

    private mutating func appendInOrder(
        _ reader: inout JSONReader, endsText: Bool, ignoresDeletion: Bool, toServerObject arena: ByteArena
    ) -> ServerObject? {
        let start = arena.count
        readsServerObject = true
        defer { readsServerObject = false }
        metadata = ServerObject.Metadata()
        guard appendInOrder(&reader, endsText: endsText, ignoresDeletion: ignoresDeletion, to: arena) else {
            return nil
        }
        return ServerObject(content: .row(start..<arena.count), state: metadata.state)
    }

    private mutating func appendInTwoPasses(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition, ignoresDeletion: Bool, to arena: ByteArena
    ) throws(RecordJSONError) -> ServerObject {
        let start = arena.count
        readsServerObject = true
        defer { readsServerObject = false }
        do throws(RecordJSONError) {
            let (object, metadata) = try locate(serverObject: json, origin: origin)
            guard ignoresDeletion || !metadata.saysDeleted else {
                return ServerObject(content: .deletion(try readKey(of: object)), state: metadata.state)
            }
            var row = RowEncoder(arena: arena, layout: layout.row)
            try encodeFields(shapes[0], of: object, keeping: nil, into: &row, depth: 0)
            if let refusal = row.finish() { throw failure(refusal, in: object) }
            return ServerObject(content: .row(start..<arena.count), state: metadata.state)
        } catch {
            arena.count = start
            throw error
        }
    }

    /// Reads only the key fields and the metadata of the object in `json`. All other members must be valid JSON, but may have
    /// any value.
    ///
    /// - Parameter origin: The position of `json` in a larger text, for the positions of errors.
    /// - Throws: ``RecordJSONError``.
    package mutating func identify(
        serverObject json: UnsafeRawBufferPointer, origin: JSONPosition = .start
    ) throws(RecordJSONError) -> (id: RecordID, state: ServerState?) {
        readsServerObject = true
        defer { readsServerObject = false }
        let (object, metadata) = try locate(serverObject: json, origin: origin)
        return (try readKey(of: object), metadata.state)
    }

    /// Checks the object in `json`, and notes where its fields and its metadata begin.
    private mutating func locate(
        serverObject json: UnsafeRawBufferPointer, origin: JSONPosition
    ) throws(RecordJSONError) -> (object: JSONReader, metadata: ServerObject.Metadata) {
        precondition(readsServerObject, "the object has members of a server")
        places.removeAll(keepingCapacity: true)
        metadata = ServerObject.Metadata()
        var reader = JSONReader(json, origin: origin)
        let object = reader
        try locateFields(&reader, shapes[0], of: nil)
        try reading(nil) { () throws(JSONError) in try reader.expectEnd() }
        return (object, metadata)
    }

    /// The id from the key fields of `object`, whose fields were located last.
    private func readKey(of object: JSONReader) throws(RecordJSONError) -> RecordID {
        var components: [FieldValue] = []
        for keyField in layout.keyFields {
            guard let ordinal = shapes[0].fields.firstIndex(where: { $0.layout.slot == keyField.slot }) else {
                preconditionFailure("the shape of a model has its key fields")
            }
            let field = shapes[0].fields[ordinal]
            var value = places[ordinal] ?? object
            guard places[ordinal] != nil,
                try reading(field, { () throws(JSONError) in try value.peekKind() }) != .null
            else { throw failure(.missingField, "the field is part of the key and has no value", at: value, field) }
            components.append(try keyValue(&value, field))
        }
        return RecordID(components)
    }

    /// Reads the value at the reader's position as the value of a key field. The value must not be `null`.
    private func keyValue(_ reader: inout JSONReader, _ field: ObjectShape.Field) throws(RecordJSONError) -> FieldValue
    {
        switch field.type {
        case .id, .string, .enumeration:
            .string(try reading(field) { () throws(JSONError) in try reader.readString() })
        case .int, .timestamp: .int(try reading(field) { () throws(JSONError) in try reader.readInt64() })
        case .double: .double(try reading(field) { () throws(JSONError) in try reader.readDouble() })
        case .bool: .bool(try reading(field) { () throws(JSONError) in try reader.readBool() })
        case .date: .date(try temporal(Temporal.Date.self, &reader, field))
        case .time: .time(try temporal(Temporal.Time.self, &reader, field))
        case .dateTime: .dateTime(try temporal(Temporal.DateTime.self, &reader, field))
        case .embedded, .list: preconditionFailure("only ordered fields are parts of keys")
        }
    }

    /// Reads a member that is not a field of `owner`'s type. The member is either metadata of the outermost object, or is
    /// skipped.
    mutating func takeUndeclared(
        _ key: JSONStringSlice, of owner: ObjectShape.Field?, from reader: inout JSONReader
    ) throws(RecordJSONError) {
        guard owner == nil, let member = ServerObject.Metadata.Member(key) else {
            return try reading(owner) { () throws(JSONError) in try reader.skipValue() }
        }
        let text = try reading(nil) { () throws(JSONError) in try reader.readRawValue() }
        guard metadata.take(member, text) else {
            throw RecordJSONError(
                .duplicateField, "the field is given twice", at: reader.position(of: key), model: layout.name,
                field: "\(layout.name).\(member.name)")
        }
    }
}
