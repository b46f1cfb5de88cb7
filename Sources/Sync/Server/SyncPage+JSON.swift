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
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) is no page.", underlying: error)
        }
        guard hasItems, let startedAt else {
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) lacks its items or its time.")
        }
        page.startedAt = startedAt
        self = page
    }

    private mutating func readItems(_ reader: inout JSONReader, _ layout: ModelLayout) throws {
        var rows = RowJSONReader(layout: layout)
        let arena = ByteArena()
        var items: [(object: ServerObject, id: RecordID, version: UInt64)] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let item = try reader.readRawValue()
            let end = arena.count
            do {
                let object = try rows.append(serverObject: item, to: arena)
                items.append((object, try object.id(in: arena, layout), try object.version(layout)))
            } catch {
                arena.count = end
                unusableCount += 1
            }
        }
        let page = EncodedPage(Array(arena[0..<arena.count]), layout)
        records = items.map { object, id, version in
            let (reference, time) = (RecordReference(model: layout.name, id: id), object.lastChangedAt)
            return switch object.content {
            case .row(let range):
                ServerRecord(reference, encoded: page.row(at: range), version: version, lastChangedAt: time)
            case .deletion: ServerRecord(reference, row: nil, version: version, lastChangedAt: time)
            }
        }
    }
}

extension ServerRecord {
    /// The record in the JSON object `json`.
    ///
    /// - Throws: ``GraphQLClientError`` if it has no usable metadata; ``RecordJSONError``; ``RowDamage``.
    init(_ json: UnsafeRawBufferPointer, of layout: ModelLayout) throws {
        var rows = RowJSONReader(layout: layout)
        let arena = ByteArena()
        let object = try rows.append(serverObject: json, to: arena)
        var row: Record?
        if case .row(let range) = object.content { row = try Record(RowView(arena[range]), layout: layout) }
        self.init(
            RecordReference(model: layout.name, id: try object.id(in: arena, layout)), row: row,
            version: try object.version(layout), lastChangedAt: object.lastChangedAt)
    }
}

extension ServerObject {
    fileprivate func id(in arena: ByteArena, _ layout: ModelLayout) throws -> RecordID {
        switch content {
        case .row(let range): try layout.recordID(of: RowView(arena[range]))
        case .deletion(let id): id
        }
    }

    /// - Throws: ``GraphQLClientError`` if the object has no usable metadata.
    fileprivate func version(_ layout: ModelLayout) throws -> UInt64 {
        guard let version = state?.version else {
            throw GraphQLClientError(.malformedResponse, "A record of \(layout.name) has no usable metadata.")
        }
        return version
    }

    fileprivate var lastChangedAt: Int64 { state?.lastChangedAt ?? 0 }
}
