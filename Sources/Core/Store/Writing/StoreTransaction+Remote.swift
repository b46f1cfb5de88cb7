/// The events that a sync engine appends: responses and messages of a server, and notes.
extension StoreTransaction {
    /// A mutation that a server has answered, and the position of the outbox after the answer.
    package typealias Answering = (mutation: MutationID, outbox: Position)

    /// Appends that the server has `record`. The event contains the row and the server state.
    ///
    /// A field that the store has and the code does not declare keeps its value.
    ///
    /// - Parameters:
    ///   - isShadowed: Whether the record has pending changes, so that its visible row stays the same.
    ///   - answer: The mutation that the server answered with the record, if there is one. The outbox moves in the same
    ///     commit.
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue`, `invalidPosition`, `transactionTooLarge`.
    package func append(
        received record: Record, server: ServerState, isShadowed: Bool = false, answering answer: Answering? = nil
    ) throws {
        let model = try model(named: record.model)
        let sections = sections(server, answer)
        if let known = model.codeRow {
            let arena = ByteArena()
            var encoder = RowEncoder(arena: arena, layout: model.row)
            try record.encode(into: &encoder, layout: model, isReceived: true)
            if let refusal = encoder.finish() { throw model.refused(refusal) }
            let named = Set(record.values.keys)
            try stageReceived(
                arena.row(), of: model, knowing: known, isShadowed: isShadowed, sections
            ) { named.contains($0.name) }
        } else {
            requireOpen()
            _ = try staged.stageRow(model, header: receivedHeader(isShadowed), sections: sections) {
                try record.encode(into: &$0, layout: model, isReceived: true)
            }
        }
        try move(answer)
    }

    /// Appends that the server has the record with the encoded `row`, which its encoder has checked.
    ///
    /// The parameters and errors are as for ``append(received:server:isShadowed:answering:)``. The layout must be current
    /// (``isCurrent(_:)``).
    package func append(
        received row: RowView, of model: ModelLayout, server: ServerState, isShadowed: Bool = false,
        answering answer: Answering? = nil
    ) throws {
        let sections = sections(server, answer)
        if let known = model.codeRow {
            try stageReceived(row, of: model, knowing: known, isShadowed: isShadowed, sections) { _ in false }
        } else {
            requireOpen()
            _ = try staged.stageEncoded(row.bytes, model, header: receivedHeader(isShadowed), sections: sections)
        }
        try move(answer)
    }

    /// Whether the store still has the model with this layout, so that rows with the layout can be appended.
    package func isCurrent(_ model: ModelLayout) -> Bool { layout.model(named: model.name) === model }

    /// Appends that the record of the model called `name` that has `id` no longer exists on the server.
    ///
    /// - Parameter isShadowed: Whether the record has pending changes, so that its visible row stays the same.
    package func append(
        receivedDeletionOf name: String, id: RecordID, server: ServerState, isShadowed: Bool = false,
        answering answer: Answering? = nil
    ) throws {
        try stage(
            .received, isShadowed ? [.remote, .rowIsAbsent, .shadowed] : [.remote, .rowIsAbsent], of: name, id: id,
            sections(server, answer))
        try move(answer)
    }

    /// Appends that the server accepted the mutation of a record. The event contains the new server state.
    package func append(
        acknowledged name: String, id: RecordID, server: ServerState, answering answer: Answering
    ) throws {
        try stage(.acknowledged, .remote, of: name, id: id, sections(server, answer))
        try move(answer)
    }

    /// Appends that the server refused the mutation of a record, and that the mutation is not sent again.
    package func append(rejected name: String, id: RecordID, reason: String, answering answer: Answering) throws {
        try stage(.rejected, .remote, of: name, id: id, sections(nil, answer), payload: Array(reason.utf8))
        try move(answer)
    }

    /// Appends that a record is no longer synced. The record is removed from this store, but not from the server.
    package func append(leftScope name: String, id: RecordID) throws {
        try stage(.leftScope, .remote, of: name, id: id, nil)
    }

    /// Appends a note: the name `name` has the value `value` from now on. If `value` is `nil`, the note is removed.
    ///
    /// - Throws: ``DataStoreError``: `invalidValue` if the name does not have 1 to 255 bytes, or if the value is larger than
    ///   the largest row plus 64 KiB; `transactionTooLarge`.
    package func append(noted name: String, value: [UInt8]?) throws {
        requireOpen()
        try SyncNote(name: name, value: value).check()
        var header = EventHeader(kind: .noted, schemaVersion: layout.schema.version)
        if value == nil { header.flags.insert(.rowIsAbsent) }
        var name = name
        _ = try name.withUTF8 {
            try staged.stage(nil, key: UnsafeRawBufferPointer($0), header: header, payload: value ?? [])
        }
    }

    private func receivedHeader(_ isShadowed: Bool) -> EventHeader {
        EventHeader(
            kind: .received, flags: isShadowed ? [.remote, .shadowed] : .remote, schemaVersion: layout.schema.version)
    }

    /// Stages a received row. Fields that the code does not know keep their present values.
    private func stageReceived(
        _ row: RowView, of model: ModelLayout, knowing known: RowLayout, isShadowed: Bool, _ sections: EventSections,
        isGiven: (FieldLayout) throws -> Bool
    ) throws {
        requireOpen()
        let present = try presentBytes(of: row, model)
        try (present ?? []).withUnsafeBytes { bytes in
            let present = present == nil ? nil : try RowView(bytes)
            _ = try staged.stageRow(model, header: receivedHeader(isShadowed), sections: sections) { encoder in
                try encoder.encode(row, knowing: known, retainingFrom: present, layout: model.row, isGiven: isGiven)
            }
        }
    }

    private func sections(_ server: ServerState?, _ answer: Answering?) -> EventSections {
        EventSections(
            server: server,
            answering: answer.map { Answer(mutation: $0.mutation, outboxPosition: $0.outbox.sequence) })
    }

    private func stage(
        _ kind: EventKind, _ flags: EventFlags, of name: String, id: RecordID, _ sections: EventSections?,
        payload: [UInt8] = []
    ) throws {
        requireOpen()
        let model = try model(named: name)
        let header = EventHeader(kind: kind, flags: flags, schemaVersion: layout.schema.version)
        _ = try model.withKey(of: id) {
            try staged.stage(model, key: $0, header: header, sections: sections, payload: payload)
        }
    }

    private func move(_ answer: Answering?) throws {
        if let answer { try moveOutbox(to: answer.outbox) }
    }
}

/// Reads the facts from which a sync engine decides, inside a write, which events to append.
extension StoreTransaction {
    /// The latest server state of the record of the model called `name` that has `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func serverState(of name: String, id: RecordID) throws -> ServerState? {
        try serverStateEntry(of: name, id: id)?.state
    }

    /// The event that contains the result of ``serverState(of:id:)``, `nil` if there is none.
    package func serverStateSequence(of name: String, id: RecordID) throws -> SequenceNumber? {
        try serverStateEntry(of: name, id: id)?.sequence
    }

    private func serverStateEntry(of name: String, id: RecordID) throws -> ServerState.Entry? {
        requireOpen()
        let model = try model(named: name)
        return try model.withKey(of: id) { try rows.serverStateEntry($0, in: model) }
    }

    /// The last event that changed the row of the record of the model called `name` that has `id`; zero if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func latestSequence(of name: String, id: RecordID) throws -> SequenceNumber {
        requireOpen()
        let model = try model(named: name)
        return try model.withKey(of: id) { key in
            if let index = staged.latest(of: key, model: model.number) {
                return SequenceNumber(staged.sequence(at: index))
            }
            return SequenceNumber(try rows.latest(key, in: model).sequence)
        }
    }

    /// The value of the note called `name`, `nil` if there is none.
    package func note(_ name: String) throws -> [UInt8]? {
        requireOpen()
        return try rows.note(name)
    }

    /// Calls `body` with each note whose name begins with `prefix`, in the order of the names' bytes, until it returns false.
    package func forEachNote(prefix: String = "", _ body: (SyncNote) throws -> Bool) throws {
        requireOpen()
        try rows.applyStaged().forEachNote(prefix: prefix, body)
    }
}

extension StoreSnapshot {
    /// The latest server state of the record of the model called `name` that has `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`.
    package func serverState(of name: String, id: RecordID) throws -> ServerState? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverState(model.number, $0) }
    }

    /// The event that contains the result of ``serverState(of:id:)``, `nil` if there is none.
    package func serverStateSequence(of name: String, id: RecordID) throws -> SequenceNumber? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverStateEntry(model.number, $0)?.sequence }
    }

    /// Calls `body` with the id and the server state of each record of the model called `name` that has a server state, in the
    /// order of the keys.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`, and the errors of `body`.
    package func forEachServerState(
        of name: String, _ body: (RecordID, ServerState.Entry) throws -> Void
    ) throws {
        let model = try layout.required(name)
        try reader.forEachServerState(model.number) { try body(try model.recordID(ofKey: $0), $1) }
    }

    /// The value of the note called `name`, `nil` if there is none.
    package func note(_ name: String) throws -> [UInt8]? { try reader.note(name) }

    /// The event that contains the result of ``note(_:)``, `nil` if there is none.
    package func noteSequence(_ name: String) throws -> SequenceNumber? {
        var name = name
        return try name.withUTF8 { try reader.noteEntry(UnsafeRawBufferPointer($0))?.sequence }
    }

    /// Calls `body` with each note whose name begins with `prefix`, in the order of the names' bytes, until it returns false.
    package func forEachNote(prefix: String = "", _ body: (SyncNote) throws -> Bool) throws {
        try reader.forEachNote(prefix: prefix, body)
    }
}
