@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

extension Inbox.Page {
    /// The page in the JSON object `json`, which is the value of a sync query's root field. Items without a usable record are
    /// counted.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `malformedResponse`.
    init(_ json: [UInt8], of layout: ModelLayout) throws(GraphQLClientError) {
        var page = Inbox.Page(records: [], startedAt: 0)
        var (hasItems, startedAt) = (false, Int64?.none)
        do {
            try JSONReader.read(json) { reader in
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    switch (key, try reader.peekKind()) {
                    case ("items", .array):
                        hasItems = true
                        try page.readItems(&reader, layout)
                    case ("nextToken", .string): page.nextToken = try reader.readString()
                    case ("startedAt", .number): startedAt = try reader.readInt64()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) is no page.", cause: error)
        }
        guard hasItems, let startedAt else {
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) lacks its items or its time.")
        }
        page.startedAt = startedAt
        self = page
    }

    private mutating func readItems(_ reader: inout JSONReader, _ layout: ModelLayout) throws {
        var (rows, decoder) = (RowJSONReader(layout: layout), RecordDecoder(layout: layout))
        let arena = ByteArena()
        try reader.beginArray()
        while try reader.nextElement() {
            let item = try reader.readRawValue()
            arena.count = 0
            do {
                records.append(try ServerRecord(item, of: layout, &rows, &decoder, arena))
            } catch {
                unusableCount += 1
            }
        }
    }
}

extension ServerRecord {
    /// The record in the JSON object `json`.
    ///
    /// - Throws: ``GraphQLClientError`` if it has no usable metadata; ``RecordJSONError``; ``RowDamage``.
    init(_ json: UnsafeRawBufferPointer, of layout: ModelLayout) throws {
        var (rows, decoder) = (RowJSONReader(layout: layout), RecordDecoder(layout: layout))
        try self.init(json, of: layout, &rows, &decoder, ByteArena())
    }

    fileprivate init(
        _ json: UnsafeRawBufferPointer, of layout: ModelLayout, _ rows: inout RowJSONReader,
        _ decoder: inout RecordDecoder, _ arena: ByteArena
    ) throws {
        let object = try rows.append(serverObject: json, to: arena)
        guard let state = object.state, let version = state.version else {
            throw GraphQLClientError(.malformedResponse, "A record of \(layout.name) has no usable metadata.")
        }
        let (id, row): (RecordID, Record?)
        switch object.content {
        case .row(let range):
            let view = try RowView(arena[range])
            (id, row) = (try layout.recordID(of: view), try decoder.record(view))
        case .deletion(let deleted): (id, row) = (deleted, nil)
        }
        self.init(
            RecordReference(model: layout.name, id: id), row: row, version: version, lastChangedAt: state.lastChangedAt)
    }
}
