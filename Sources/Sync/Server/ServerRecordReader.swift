@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// Reads the records of one model in a server's responses.
struct ServerRecordReader: Sendable {
    let layout: ModelLayout
    /// The fields that tell the states of a record apart; `nil` if the server's records have versions.
    let stamps: StampFields?
    private let shapes: ObjectShapes

    init(_ layout: ModelLayout, _ stamps: StampFields?) {
        (self.layout, self.stamps) = (layout, stamps)
        shapes = ObjectShapes(layout)
    }

    /// The page in the JSON object `json`, which is the value of a query's root field. Items without a usable record are
    /// counted.
    ///
    /// - Parameter content: The part of each record that the items have.
    /// - Throws: ``GraphQLClientError`` with the code `malformedResponse`.
    func page(_ json: [UInt8], content: Inbox.Content) throws(GraphQLClientError) -> Inbox.Page {
        var page = Inbox.Page(records: [], startedAt: 0)
        var (hasItems, startedAt) = (false, Int64?.none)
        do {
            try JSONReader.read(json) { reader in
                try reader.beginObject()
                while let key = try reader.nextKey()?.string {
                    switch (key, try reader.peekKind()) {
                    case ("items", .array):
                        hasItems = true
                        switch content {
                        case .records: try readItems(&reader, &page)
                        case .stamps, .keys: try readHints(&reader, &page, hasStamps: content == .stamps)
                        }
                    case ("nextToken", .string): page.nextToken = try reader.readString()
                    case ("startedAt", .number): startedAt = try reader.readInt64()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) is no page.", underlying: error)
        }
        if stamps != nil { startedAt = 0 }
        guard hasItems, let startedAt else {
            throw GraphQLClientError(.malformedResponse, "The page of \(layout.name) lacks its items or its time.")
        }
        page.startedAt = startedAt
        page.complete()
        return page
    }

    private func readItems(_ reader: inout JSONReader, _ page: inout Inbox.Page) throws {
        var rows = RowJSONReader(shapes)
        let arena = ByteArena()
        var items: [(object: ServerObject, id: RecordID, state: Version)] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let end = arena.count
            let item = try rows.append(serverObjectAt: &reader, to: arena)
            do {
                let object = try item.get()
                items.append((object, try id(object, in: arena), try version(object, in: arena)))
            } catch {
                arena.count = end
                page.unusableCount += 1
            }
        }
        let encoded = EncodedPage(Array(arena[0..<arena.count]), layout)
        page.records = items.map { object, id, state in
            let reference = RecordReference(model: layout.name, id: id)
            return switch object.content {
            case .row(let range):
                record(reference, encoded.row(at: range), state)
            case .deletion: ServerRecord(reference, row: nil, version: state.number, lastChangedAt: state.time)
            }
        }
    }

    /// The record with this row, which may say that it is deleted.
    private func record(_ reference: RecordReference, _ row: EncodedPage.Row, _ state: Version) -> ServerRecord {
        let isDeleted = (try? row.withView { try stamps?.isDeleted($0) }) ?? false
        return isDeleted
            ? ServerRecord(reference, deleted: row.record, version: state.number, lastChangedAt: state.time)
            : ServerRecord(reference, encoded: row, version: state.number, lastChangedAt: state.time)
    }

    private func readHints(_ reader: inout JSONReader, _ page: inout Inbox.Page, hasStamps: Bool) throws {
        var rows = RowJSONReader(shapes)
        try reader.beginArray()
        while try reader.nextElement() {
            let item = try reader.readRawValue()
            let version = hasStamps ? try? stamps?.stamp(in: item)?.version : 0
            guard let id = try? rows.identify(serverObject: item).id, let version else {
                page.unusableCount += 1
                continue
            }
            page.stamps.append(RecordHint(RecordReference(model: layout.name, id: id), version: version))
        }
    }

    /// The record in the JSON object `json`.
    ///
    /// - Parameter isDeletion: Whether the object is the last state of a record that the server has deleted.
    /// - Throws: ``GraphQLClientError`` if it has no usable metadata; ``RecordJSONError``; ``RowDamage``.
    func record(_ json: UnsafeRawBufferPointer, isDeletion: Bool) throws -> ServerRecord {
        var rows = RowJSONReader(shapes)
        let arena = ByteArena(capacity: json.count)
        let object = try rows.append(serverObject: json, to: arena)
        let version = try version(object, in: arena)
        let reference = RecordReference(model: layout.name, id: try id(object, in: arena))
        guard case .row(let range) = object.content else {
            return ServerRecord(reference, row: nil, version: version.number, lastChangedAt: version.time)
        }
        // With versions, the object itself says whether the record is deleted. Most such records repeat what the device knows,
        // so they are not decoded here.
        guard let stamps else {
            let row = EncodedPage(Array(arena[range]), layout).row(at: 0..<range.count)
            return ServerRecord(reference, encoded: row, version: version.number, lastChangedAt: version.time)
        }
        let view = try RowView(arena[range])
        let row = isDeletion ? nil : try Record(view, layout: layout)
        if let row, try stamps.isDeleted(view) {
            return ServerRecord(reference, deleted: row, version: version.number, lastChangedAt: version.time)
        }
        return ServerRecord(reference, row: row, version: version.number, lastChangedAt: version.time)
    }

    /// The record that the JSON object `json` names; `nil` if the object lacks the key.
    func reference(_ json: UnsafeRawBufferPointer) -> RecordReference? {
        var rows = RowJSONReader(shapes)
        return (try? rows.identify(serverObject: json)).map { RecordReference(model: layout.name, id: $0.id) }
    }

    /// The version of a record, and the time of its last change.
    private typealias Version = (number: UInt64, time: Int64)

    private func id(_ object: ServerObject, in arena: ByteArena) throws -> RecordID {
        switch object.content {
        case .row(let range): try layout.recordID(of: RowView(arena[range]))
        case .deletion(let id): id
        }
    }

    /// - Throws: ``GraphQLClientError`` if the object has no usable metadata.
    private func version(_ object: ServerObject, in arena: ByteArena) throws -> Version {
        if let stamps, case .row(let range) = object.content, let stamp = try stamps.stamp(of: RowView(arena[range])) {
            return (stamp.version, RecordStamp.milliseconds(in: stamp.version))
        }
        guard stamps == nil, let state = object.state, let version = state.version else {
            throw GraphQLClientError(.malformedResponse, "A record of \(layout.name) has no usable metadata.")
        }
        return (version, state.lastChangedAt)
    }
}
