/// What a server's answers and pushes append: the only events of remote origin beside imports.
extension StoreTransaction {
    /// Appends that the server has `record`: its row, and what the server says about it.
    ///
    /// - Parameters:
    ///   - answer: The mutation that the server answered with it, if it did, and the outbox's place after the answer,
    ///     which moves in the same commit.
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue`, `invalidPosition`, `transactionTooLarge`.
    package func append(
        received record: Record, server: ServerState, answering answer: (mutation: MutationID, outbox: Position)? = nil
    ) throws {
        requireOpen()
        let model = try model(named: record.model)
        let header = EventHeader(kind: .received, flags: .remote, schemaVersion: layout.schema.version)
        _ = try staged.stageRow(model, header: header, sections: sections(server, answer)) {
            try record.encode(into: &$0, layout: model)
        }
        try move(answer)
    }

    /// Appends that the record of the model called `name` that has `id` does not exist on the server any more.
    package func append(
        receivedDeletionOf name: String, id: RecordID, server: ServerState,
        answering answer: (mutation: MutationID, outbox: Position)? = nil
    ) throws {
        try stage(.received, [.remote, .rowIsAbsent], name, id, sections(server, answer))
        try move(answer)
    }

    /// Appends that the server took the mutation of a record, and what it says about the record now.
    package func append(
        acknowledged name: String, id: RecordID, server: ServerState,
        answering answer: (mutation: MutationID, outbox: Position)
    ) throws {
        try stage(.acknowledged, .remote, name, id, sections(server, answer))
        try move(answer)
    }

    /// Appends that the server refused the mutation of a record for good.
    package func append(
        rejected name: String, id: RecordID, reason: String,
        answering answer: (mutation: MutationID, outbox: Position)
    ) throws {
        try stage(.rejected, .remote, name, id, sections(nil, answer), payload: Array(reason.utf8))
        try move(answer)
    }

    /// Appends that a record is no longer among those that are synced: it is removed here, and not on the server.
    package func append(leftScope name: String, id: RecordID) throws {
        try stage(.leftScope, .remote, name, id, nil)
    }

    private func sections(
        _ server: ServerState?, _ answer: (mutation: MutationID, outbox: Position)?
    ) -> EventSections {
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

    private func move(_ answer: (mutation: MutationID, outbox: Position)?) throws {
        if let answer { try moveOutbox(to: answer.outbox) }
    }
}
