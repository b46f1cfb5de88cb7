/// The events that a sync engine appends: a server's responses and pushes, and notes.
extension StoreTransaction {
    /// A mutation that a server has answered, and the position of the outbox after the answer.
    package typealias Answering = (mutation: MutationID, outbox: Position)

    /// Appends that the server has `record`: its row, and what the server says about it.
    ///
    /// Fields that the store has and the code does not declare keep the values that they have.
    ///
    /// - Parameters:
    ///   - isShadowed: Whether the record has pending changes, so that its visible row stays as it is.
    ///   - answer: The mutation that the server answered with the record, if it did. The outbox moves in the same commit.
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
            if let reason = encoder.finish() { throw model.refused(reason) }
            let named = Set(record.values.keys)
            try stageReceived(arena.row(), model, knowing: known, isShadowed, sections) { named.contains($0.name) }
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
    /// - Parameters and errors: as ``append(received:server:isShadowed:answering:)``.
    package func append(
        received row: RowView, of model: ModelLayout, server: ServerState, isShadowed: Bool = false,
        answering answer: Answering? = nil
    ) throws {
        let sections = sections(server, answer)
        if let known = model.codeRow {
            try stageReceived(row, model, knowing: known, isShadowed, sections) { _ in false }
        } else {
            requireOpen()
            _ = try staged.stageEncoded(row.bytes, model, header: receivedHeader(isShadowed), sections: sections)
        }
        try move(answer)
    }

    /// Appends that the record of the model called `name` that has `id` does not exist on the server any more.
    ///
    /// - Parameter isShadowed: Whether the record has pending changes, so that its visible row stays as it is.
    package func append(
        receivedDeletionOf name: String, id: RecordID, server: ServerState, isShadowed: Bool = false,
        answering answer: Answering? = nil
    ) throws {
        try stage(
            .received, isShadowed ? [.remote, .rowIsAbsent, .shadowed] : [.remote, .rowIsAbsent], name, id,
            sections(server, answer))
        try move(answer)
    }

    /// Appends that the server took the mutation of a record, and what it says about the record now.
    package func append(
        acknowledged name: String, id: RecordID, server: ServerState, answering answer: Answering
    ) throws {
        try stage(.acknowledged, .remote, name, id, sections(server, answer))
        try move(answer)
    }

    /// Appends that the server refused the mutation of a record for good.
    package func append(rejected name: String, id: RecordID, reason: String, answering answer: Answering) throws {
        try stage(.rejected, .remote, name, id, sections(nil, answer), payload: Array(reason.utf8))
        try move(answer)
    }

    /// Appends that a record is no longer synced. The record is removed here, and not on the server.
    package func append(leftScope name: String, id: RecordID) throws {
        try stage(.leftScope, .remote, name, id, nil)
    }

    /// Appends that `name` stands for `value` from now on, or for nothing if `value` is `nil`.
    ///
    /// - Throws: ``DataStoreError``: `invalidValue` if the name has not 1 to 255 bytes, or the value more than a row may
    ///   have and 64 KiB; `transactionTooLarge`.
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

    /// Stages a received row, with the present values of the fields that the code does not know.
    private func stageReceived(
        _ row: RowView, _ model: ModelLayout, knowing known: RowLayout, _ isShadowed: Bool, _ sections: EventSections,
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
        _ kind: EventKind, _ flags: EventFlags, _ name: String, _ id: RecordID, _ sections: EventSections?,
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
