@_spi(Adapters) public import TidelogCore
public import TidelogJSON

extension Record {
    /// Reads a record from the JSON object `json`.
    ///
    /// To read many records, make one ``RowJSONReader`` and use it for all.
    ///
    /// - Throws: ``RecordJSONError``.
    @_spi(Adapters) public init(json: [UInt8], layout: ModelLayout) throws {
        var reader = RowJSONReader(layout: layout)
        self = try json.withUnsafeBytes { bytes in
            try reader.withRow(bytes) { try Record($0, layout: layout) }
        }
    }

    /// Reads a record from the JSON object `json`.
    ///
    /// - Throws: ``RecordJSONError``.
    @_spi(Adapters) public init(json: String, layout: ModelLayout) throws {
        try self.init(json: Array(json.utf8), layout: layout)
    }

    /// The record as a JSON object. Fields without a value get the defaults of the schema.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit the model.
    @_spi(Adapters) public func json(layout: ModelLayout, style: JSONWriter.Style = .compact) throws -> [UInt8] {
        let row = try EncodedRow(self, layout: layout)
        return try row.withRow { _, row in
            var writer = JSONWriter(style: style)
            try RowJSONWriter(layout: layout).write(row, to: &writer)
            return writer.bytes
        }
    }
}
