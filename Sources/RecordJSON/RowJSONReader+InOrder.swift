@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON

/// Reads objects whose fields come in the order of the declaration, in one pass.
///
/// Exports and the answers to our own queries have this order. If anything else comes, the reader reads the object again in two
/// passes, which accept any order and make the errors.
extension RowJSONReader {
    /// The reasons for two passes in addition to the errors of an object.
    private enum Departure: Error {
        /// A field comes after a later field.
        case otherOrder
        case unknownField
    }

    /// Appends the row of the object at the position of `reader`, and takes its metadata if it is a server's. Returns false if
    /// the object must be read in two passes. The reader then has another position, and the arena is unchanged.
    ///
    /// - Parameters:
    ///   - endsText: Whether the text must end after the object.
    ///   - ignoresDeletion: Whether the fields are read even if the metadata say that the record is deleted.
    mutating func appendInOrder(
        _ reader: inout JSONReader, endsText: Bool, ignoresDeletion: Bool, to arena: ByteArena
    ) -> Bool {
        guard isInOrder else { return false }
        let start = arena.count
        let cases = (unknownCases, probableCases)
        do {
            places.removeAll(keepingCapacity: true)
            let object = reader
            var row = RowEncoder(arena: arena, layout: layout.row)
            try encodeFieldsInOrder(&reader, of: object, into: &row)
            if endsText { try reader.expectEnd() }
            if row.finish() == nil, ignoresDeletion || !metadata.saysDeleted { return true }
        } catch Departure.otherOrder {
            isInOrder = false
        } catch {}
        arena.count = start
        (unknownCases, probableCases) = cases
        return false
    }

    private mutating func encodeFieldsInOrder(
        _ reader: inout JSONReader, of object: JSONReader, into row: inout RowEncoder
    ) throws {
        let shape = shapes[0]
        var next = 0
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard let ordinal = shape.ordinal(of: key, expected: next) else {
                guard readsServerObject else { throw Departure.unknownField }
                try takeUndeclared(key, of: nil, from: &reader)
                continue
            }
            guard ordinal >= next else { throw Departure.otherOrder }
            for missing in next..<ordinal { try encodeMissing(shape.fields[missing], at: object, into: &row) }
            let field = shape.fields[ordinal]
            if try reader.peekKind() == .null {
                try reader.readNull()
                try encodeMissing(field, at: object, into: &row)
            } else {
                try encode(&reader, field.type, field, into: &row, depth: 0)
            }
            next = ordinal + 1
        }
        for missing in next..<shape.fields.count { try encodeMissing(shape.fields[missing], at: object, into: &row) }
    }

    private func encodeMissing(
        _ field: ObjectShape.Field, at object: JSONReader, into row: inout RowEncoder
    ) throws(RecordJSONError) {
        try encodeMissing(field, at: object, isCleared: readsServerObject, into: &row)
    }
}
