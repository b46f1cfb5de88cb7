@_spi(Adapters) public import TidelogCore
public import TidelogJSON

/// Reads JSON objects directly into encoded rows of one model, without a tree or a dictionary in between.
///
/// Fields may be in any order. A first pass checks the object and notes where each field's value begins. A second pass encodes
/// the values in the order of the declaration. `null` is the same as no value. A field without a value gets the default of the
/// schema. An enum field accepts any text, even one that the schema does not know.
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
    var metadata = ServerMetadata()
    /// A buffer for the text of a string with escapes.
    var text: [UInt8] = []

    /// Makes a reader for records of `layout`.
    public init(layout: ModelLayout) {
        self.layout = layout
        shapes = ObjectShape.shapes(of: layout)
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
        do throws(RecordJSONError) {
            places.removeAll(keepingCapacity: true)
            var reader = JSONReader(json, origin: origin)
            let object = reader
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
