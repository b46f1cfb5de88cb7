@_spi(Adapters) public import TidelogCore
internal import TidelogJSON

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
