@_spi(Adapters) public import TidelogCore
public import TidelogJSON
internal import TidelogSuggestion

/// Reads JSON objects directly into encoded rows of one model, without a tree or a dictionary in between.
///
/// Fields may be in any order. If they are not in the order of the declaration, a first pass checks the object and notes where
/// each field's value begins, and a second pass encodes the values in the order of the declaration. `null` is the same as no
/// value. A field without a value gets the default of the schema. An enum field accepts any text, even one that the schema does
/// not know.
///
/// A reader keeps its buffers, so make one reader for many records.
@_spi(Adapters) public struct RowJSONReader {
    /// The model of the records.
    public let layout: ModelLayout
    /// The number of texts that are not a case of their enum, by the field that contains them: `City.status`. The reader keeps
    /// such texts. A program may report them to its users.
    public internal(set) var unknownCases: [String: Int] = [:]
    /// The case that the first such text of a field probably means, by the same names of fields.
    public internal(set) var probableCases: [String: String] = [:]
    let shapes: [ObjectShape]
    /// For each field of the objects that are being read, outermost first, a reader that stands before the field's value.
    var places: [JSONReader?] = []
    /// Whether the object comes from a server. Such an object has members that are not fields.
    var readsServerObject = false
    /// The metadata of the server's object that was read last.
    var metadata = ServerObject.Metadata()
    /// Whether the fields of all objects so far came in the order of the declaration.
    var isInOrder = true
    /// A buffer for the text of a string with escapes.
    var text: [UInt8] = []

    /// Makes a reader for records of `layout`.
    public init(layout: ModelLayout) {
        self.layout = layout
        shapes = ObjectShape.shapes(of: layout)
    }

    /// Makes a reader with shapes that were made before.
    package init(_ shapes: ObjectShapes) {
        layout = shapes.layout
        self.shapes = shapes.all
    }

    /// Forgets the texts that were read so far and are no case of their enum.
    package mutating func forgetUnknownCases() {
        unknownCases = [:]
        probableCases = [:]
    }

    /// The raw texts of the enum of the field at `path`, such as `City.status`; empty if the field has no enum.
    public func cases(ofField path: String) -> [String] {
        for shape in shapes {
            if let field = shape.fields.first(where: { $0.path == path }) { return field.caseNames }
        }
        return []
    }

    /// Reads the record in `json` and calls `body` with its row. The row is only valid inside `body`.
    ///
    /// - Parameters:
    ///   - json: One JSON object.
    ///   - origin: The position of `json` in a larger text, for the positions of errors.
    /// - Throws: ``RecordJSONError``, and the errors of `body`.
    public mutating func withRow<Result>(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition = .start, _ body: (RowView) throws -> Result
    ) throws -> Result {
        let arena = ByteArena()
        let range = try append(json, origin: origin, to: arena)
        return try body(RowView(arena[range]))
    }

    /// Reads the fields in `json`, merges them into `row`, and calls `body` with the resulting row.
    ///
    /// A field that `json` does not contain keeps its value. A field that is `null` loses its value, or gets its default if it
    /// is required.
    ///
    /// - Throws: The errors of the other `withRow`, and ``RowDamage`` if `row` is damaged.
    public mutating func withRow<Result>(
        patching row: RowView, with json: UnsafeRawBufferPointer, origin: JSONPosition = .start,
        _ body: (RowView) throws -> Result
    ) throws -> Result {
        let arena = ByteArena()
        var kept: [UnsafeRawBufferPointer?] = []
        for field in layout.row.fields { kept.append(try row.value(field.slot)) }
        let range = try append(json, origin: origin, keeping: kept, to: arena)
        return try body(RowView(arena[range]))
    }

    /// Reads the record in `json` and appends its row to `arena`. Returns the row's range in the arena.
    ///
    /// - Throws: ``RecordJSONError``. The arena is then unchanged.
    package mutating func append(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition = .start, to arena: ByteArena
    ) throws(RecordJSONError) -> Range<Int> {
        try append(json, origin: origin, keeping: nil, to: arena)
    }

    /// Does the same as the other `append`. `kept` has, by ordinal, the encoded values of the record that is being changed.
    private mutating func append(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition, keeping kept: [UnsafeRawBufferPointer?]?,
        to arena: ByteArena
    ) throws(RecordJSONError) -> Range<Int> {
        let start = arena.count
        let object = JSONReader(json, origin: origin)
        var reader = object
        if kept == nil, appendInOrder(&reader, endsText: true, ignoresDeletion: true, to: arena) {
            return start..<arena.count
        }
        do throws(RecordJSONError) {
            reader = object
            places.removeAll(keepingCapacity: true)
            try locateFields(&reader, shapes[0], of: nil)
            try reading(nil) { () throws(JSONError) in try reader.expectEnd() }
            var row = RowEncoder(arena: arena, layout: layout.row)
            try encodeFields(shapes[0], of: object, keeping: kept, into: &row, depth: 0)
            if let refusal = row.finish() { throw failure(refusal, in: object) }
            return start..<arena.count
        } catch {
            arena.count = start
            throw error
        }
    }
}

// MARK: - Fields

extension RowJSONReader {
    /// Checks the object at the reader's position, which is the value of `owner`. Notes in new places where each field's value
    /// begins.
    mutating func locateFields(
        _ reader: inout JSONReader, _ shape: ObjectShape, of owner: ObjectShape.Field?
    ) throws(RecordJSONError) {
        let base = places.count
        for _ in shape.fields.indices { places.append(nil) }
        var expected = 0
        try reading(owner) { () throws(JSONError) in try reader.beginObject() }
        while let key = try reading(owner, { () throws(JSONError) in try reader.nextKey() }) {
            guard let ordinal = shape.ordinal(of: key, expected: expected) else {
                if readsServerObject {
                    try takeUndeclared(key, of: owner, from: &reader)
                    continue
                }
                throw RecordJSONError(
                    .unknownField, "\(shape.name) has no field \(Self.named(key, among: shape))",
                    at: reader.position(of: key), model: layout.name, field: owner?.path)
            }
            guard places[base + ordinal] == nil else {
                throw RecordJSONError(
                    .duplicateField, "the field is given twice", at: reader.position(of: key), model: layout.name,
                    field: shape.fields[ordinal].path)
            }
            places[base + ordinal] = reader
            try reading(shape.fields[ordinal]) { () throws(JSONError) in try reader.skipValue() }
            expected = ordinal + 1
        }
    }

    /// Encodes the fields that were located last, in the order of their declaration, and removes their places.
    mutating func encodeFields(
        _ shape: ObjectShape, of object: JSONReader, keeping kept: [UnsafeRawBufferPointer?]?,
        into row: inout RowEncoder, depth: Int
    ) throws(RecordJSONError) {
        let base = places.count - shape.fields.count
        let isCleared = kept != nil || readsServerObject
        for ordinal in shape.fields.indices {
            let field = shape.fields[ordinal]
            guard var value = places[base + ordinal] else {
                if let kept, let bytes = kept[ordinal] {
                    row.encode(bytes: bytes)
                } else {
                    try encodeMissing(field, at: object, isCleared: isCleared, into: &row)
                }
                continue
            }
            if try reading(field, { () throws(JSONError) in try value.peekKind() }) == .null {
                try encodeMissing(field, at: value, isCleared: isCleared, into: &row)
            } else {
                try encode(&value, field.type, field, into: &row, depth: depth)
            }
        }
        places.removeLast(shape.fields.count)
    }

    /// Encodes the default of `field`. Encodes a missing value if there is no default, or if an optional value was cleared.
    func encodeMissing(
        _ field: ObjectShape.Field, at place: JSONReader, isCleared: Bool, into row: inout RowEncoder
    ) throws(RecordJSONError) {
        let isRequired = field.layout.schema.isRequired
        if let value = field.layout.schema.defaultValue?.converted(to: field.layout), isRequired || !isCleared {
            row.encode(value)
        } else if isRequired {
            throw failure(.missingField, "the field is required and has no value", at: place, field)
        } else {
            row.encodeMissing()
        }
    }

    /// The key for a message. The message contains the key only if it could be a field's name and is not longer than one.
    private static func named(_ key: JSONStringSlice, among shape: ObjectShape) -> String {
        let isName = key.rawBytes.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (48...57).contains(byte) || (97...122).contains(byte | 32)
        }
        guard isName, (1...Limits.nameByteCount).contains(key.rawBytes.count) else { return "with that name" }
        let guess = Suggestion.didYouMean(key.string, among: shape.fields.map(\.layout.name))
        return "\"\(key.string)\"" + (guess.map { " (\($0))" } ?? "")
    }
}

// MARK: - Failures

extension RowJSONReader {
    /// Calls `body`, and adds the name of `field` to its error.
    @inline(__always)
    func reading<Value>(
        _ field: ObjectShape.Field?, _ body: () throws(JSONError) -> Value
    ) throws(RecordJSONError) -> Value {
        do {
            return try body()
        } catch {
            throw RecordJSONError(error, model: layout.name, field: field?.path)
        }
    }

    /// Makes the failure of a row that is too large. Its place is the value of the field that the refusal names.
    mutating func failure(_ refusal: RowRefusal, in object: JSONReader) -> RecordJSONError {
        places.removeAll()
        var again = object
        try? locateFields(&again, shapes[0], of: nil)
        let place = places.indices.contains(refusal.ordinal) ? places[refusal.ordinal] : nil
        return failure(.tooLarge, refusal.reason, at: place ?? object, shapes[0].fields[refusal.ordinal])
    }

    /// Makes the failure of the value that begins at `place`.
    func failure(
        _ code: RecordJSONError.Code, _ message: String, at place: JSONReader, _ field: ObjectShape.Field?
    ) -> RecordJSONError {
        var place = place
        _ = try? place.peekKind()
        return RecordJSONError(code, message, at: place.position, model: layout.name, field: field?.path)
    }
}
