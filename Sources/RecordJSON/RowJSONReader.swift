@_spi(Adapters) public import TidelogCore
public import TidelogJSON

/// Reads JSON objects straight into encoded rows of one model, with no tree and no dictionary in between.
///
/// Fields may come in any order. A first pass over an object checks it and notes where each field's value stands; the
/// second encodes the values in the order of the declaration. `null` is the same as no value; a field without one gets
/// the default that the schema names. Of an enum any text is taken, also one that the schema does not know.
///
/// A reader keeps its buffers and so is made once for many records.
@_spi(Adapters) public struct RowJSONReader {
    /// The model whose records it reads.
    public let layout: ModelLayout
    /// How many texts were read that are no case of their enum, by the field that they are in: `City.status`. They are
    /// kept; a program that talks to people may mention them.
    public internal(set) var unknownCases: [String: Int] = [:]
    let shapes: [ObjectShape]
    /// For each field of the objects being read, outermost first, a reader that stands before its value.
    var places: [JSONReader?] = []
    /// Whether the object being read is a server's, which has members that are no fields.
    var readsServerObject = false
    /// The metadata of the server's object that was read last.
    var metadata = ServerMetadata()
    /// The text of a string with escapes.
    var text: [UInt8] = []

    /// A reader of records of `layout`.
    public init(layout: ModelLayout) {
        self.layout = layout
        shapes = ObjectShape.shapes(of: layout)
    }

    /// The raw texts of the enum that the field at `path`, such as `City.status`, has; empty if it has none.
    public func cases(ofField path: String) -> [String] {
        for shape in shapes {
            if let field = shape.fields.first(where: { $0.path == path }) { return field.caseNames }
        }
        return []
    }

    /// Reads the one record that `json` holds and calls `body` with its row, which is valid inside it.
    ///
    /// - Parameters:
    ///   - json: one JSON object.
    ///   - origin: where `json` starts in a larger text, for the positions of errors.
    /// - Throws: ``RecordJSONError``, and what `body` throws.
    public mutating func withRow<Result>(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition = .start, _ body: (RowView) throws -> Result
    ) throws -> Result {
        let arena = ByteArena()
        let range = try append(json, origin: origin, to: arena)
        return try body(RowView(arena[range]))
    }

    /// Reads the fields that `json` gives, lays them over `row`, and calls `body` with the row so made.
    ///
    /// A field that is not given keeps its value; one that is `null` loses it, or gets its default if it is required.
    ///
    /// - Throws: as the other `withRow`, and ``RowDamage`` if `row` is damaged.
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

    /// Reads the one record that `json` holds and appends its row to `arena`; gives where it stands there.
    ///
    /// - Throws: ``RecordJSONError``; the arena is then as it was.
    package mutating func append(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition = .start, to arena: ByteArena
    ) throws(RecordJSONError) -> Range<Int> {
        try append(json, origin: origin, keeping: nil, to: arena)
    }

    /// As the other `append`; `kept` has, by ordinal, the encoded values of the record that is being changed.
    private mutating func append(
        _ json: UnsafeRawBufferPointer, origin: JSONPosition, keeping kept: [UnsafeRawBufferPointer?]?,
        to arena: ByteArena
    ) throws(RecordJSONError) -> Range<Int> {
        let start = arena.count
        do throws(RecordJSONError) {
            places.removeAll(keepingCapacity: true)
            var reader = JSONReader(json, origin: origin)
            let object = reader
            try locateFields(&reader, shapes[0], of: nil)
            try reading(nil) { () throws(JSONError) in try reader.expectEnd() }
            var row = RowEncoder(arena: arena, layout: layout.row)
            try encodeFields(shapes[0], of: object, keeping: kept, into: &row, depth: 0)
            if let reason = row.finish() { throw failure(.tooLarge, reason, at: object, nil) }
            return start..<arena.count
        } catch {
            arena.count = start
            throw error
        }
    }
}
