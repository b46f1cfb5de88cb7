@_spi(Adapters) public import TidelogCore
internal import TidelogJSON

/// Writes the records of a schema as JSON, and reads them from JSON.
///
/// ```swift
/// let json = try RecordJSON(store.schema.declared)
/// let text = try json.text(of: Record(note, in: store))
/// let copy = try Note(json.record("Note", from: text.utf8), in: store)
/// ```
///
/// A record is a JSON object with a member for each field that has a value, in the order of the schema:
///
/// | field | JSON |
/// |---|---|
/// | `ID`, `String`, texts such as `AWSEmail`, enums | a string |
/// | `Int`, `AWSTimestamp` | a number without a fraction, exact over 64 bits |
/// | `Float` | a number; the shortest one that reads as the same value |
/// | `Boolean` | `true` or `false` |
/// | `AWSDate`, `AWSTime`, `AWSDateTime` | a string with the text of the value, unchanged |
/// | an embedded type | an object |
/// | a list | an array, with `null` for an element without a value |
///
/// Equal records give equal texts. A text that ``text(of:isPretty:)`` has made gives the same record when it is read, with one
/// exception: a field without a value gets its default when it is read, if the schema has one. The same text is a line of a
/// file that `tidelog import` reads and `tidelog export` writes.
///
/// A value of this type may be used by several threads. Making one takes as long as checking the schema, so make one for many
/// records.
public struct RecordJSON: Sendable {
    private let layout: SchemaLayout

    /// Prepares for the records of `schema`. For the records of a store, this is `store.schema.declared`: the fields of all
    /// builds that have opened the store.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidSchema` if the schema is not valid.
    public init(_ schema: Schema) throws {
        try schema.validate()
        layout = SchemaLayout(StoredSchema(first: schema))
    }

    /// The record as a JSON object, in UTF-8.
    ///
    /// A required field without a value gets its default. Values of a lossless other kind are converted, as when the record is
    /// saved: a whole number in a `Float` field, for example.
    ///
    /// - Parameter isPretty: Whether each member has a line of its own, with indentation.
    /// - Throws: ``DataStoreError`` with code `unknownModel` if the schema lacks the record's model, or `invalidValue` if the
    ///   record has a field that the model lacks, lacks a required value, or has a value that does not fit its field or exceeds
    ///   a limit. The error has the name of the model, and its message the name of the field.
    public func bytes(of record: Record, isPretty: Bool = false) throws -> [UInt8] {
        try record.json(layout: try model(record.model), isPretty: isPretty)
    }

    /// The record as the text of a JSON object.
    ///
    /// - Throws: The errors of ``bytes(of:isPretty:)``.
    public func text(of record: Record, isPretty: Bool = false) throws -> String {
        String(decoding: try bytes(of: record, isPretty: isPretty), as: UTF8.self)
    }

    /// Reads a record of the model called `name` from the JSON object `json`, which is UTF-8: a `Data`, the `utf8` of a text,
    /// or an array of bytes.
    ///
    /// The members may be in any order. A member that is missing or `null` is a field without a value, which gets the default
    /// of the schema if there is one. An enum field takes any text, as in a store. The record is not saved, and its relations
    /// are not checked.
    ///
    /// - Throws: ``RecordJSONError`` if the text is not JSON or not a record of the model; ``DataStoreError`` with code
    ///   `unknownModel` if the schema lacks the model.
    public func record(_ name: String, from json: some Sequence<UInt8>) throws -> Record {
        try Record(json: Array(json), layout: try model(name))
    }

    private func model(_ name: String) throws -> ModelLayout {
        guard let model = layout.model(named: name) else {
            throw DataStoreError.unknownModel(name, of: "The schema", among: layout.models.map(\.name).sorted())
        }
        return model
    }
}

extension Record {
    /// Reads a record from the JSON object `json`.
    ///
    /// - Throws: ``RecordJSONError``.
    @_spi(Adapters) public init(json: [UInt8], layout: ModelLayout) throws {
        var reader = RowJSONReader(layout: layout)
        self = try json.withUnsafeBytes { bytes in
            try reader.withRow(bytes) { try Record($0, layout: layout) }
        }
    }

    /// The record as a JSON object. A required field without a value gets its default.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit the model.
    @_spi(Adapters) public func json(layout: ModelLayout, isPretty: Bool = false) throws -> [UInt8] {
        let row = try EncodedRow(stored: self, layout: layout)
        return try row.withRow { _, row in
            var writer = JSONWriter(style: isPretty ? .pretty : .compact)
            try RowJSONWriter(layout: layout).write(row, to: &writer)
            return writer.bytes
        }
    }
}
