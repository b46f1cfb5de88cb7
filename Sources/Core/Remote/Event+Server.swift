/// The parts of an event that concern a server.
extension Event {
    /// The identity of the mutation that this event requests.
    public var mutationID: MutationID {
        MutationID(incarnation: header(EventFormat.Offset.incarnation, as: UInt64.self), sequence: sequence)
    }

    /// Whether the event requests a mutation on a server: it is a local change of a model that is synced.
    ///
    /// A save that changes nothing requests none.
    public var asksForMutation: Bool {
        guard let layout, read(\.isLocalChange) ?? false else { return false }
        return !(schemas.latest?.model(numbered: layout.number) ?? layout).isLocalOnly
    }

    /// The server's state of the record, or `nil` if the event contains none.
    public var serverState: ServerState? { read(\.serverState) ?? nil }

    /// The answer to a mutation, or `nil` if the event is not an answer.
    public var answer: Answer? { read(\.answer) ?? nil }

    /// The server's reason for a refusal, in an event of kind ``EventKind/rejected``.
    public var reason: String? {
        guard kind == .rejected else { return nil }
        return read { String(validating: $0.payload.assumingMemoryBound(to: UInt8.self), as: UTF8.self) } ?? nil
    }

    /// The note that the event writes or removes, or `nil` if the event is not of kind ``EventKind/noted``.
    package var note: SyncNote? { note(prefix: "") }

    /// The note that the event writes or removes, or `nil` if the event writes or removes none whose name begins with `prefix`.
    package func note(prefix: String) -> SyncNote? {
        read { view in
            guard let bytes = view.noteName, bytes.starts(with: prefix.utf8),
                let name = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
            else { return nil }
            return SyncNote(name: name, value: view.noteValue.map { Array($0) })
        } ?? nil
    }
}

/// The parts of an event's bytes that concern a server.
extension EventView {
    /// The server's state of the record, or `nil` if the event contains none.
    var serverState: ServerState? { serverSection.flatMap { ServerState(encoded: $0) } }

    /// The answer to a mutation, or `nil` if the event is not an answer.
    var answer: Answer? { answerSection.flatMap { Answer(encoded: $0) } }

    /// Whether the event is a local change, which requests a mutation on the server. A save that changes nothing is none.
    var isLocalChange: Bool {
        (kind == .saved && !isUnchanged || kind == .deleted) && origin == .local && !isMigrated
    }

    /// Whether the event is a save that changes nothing.
    var isUnchanged: Bool { kind == .saved && changedFields.isEmpty }

    /// Whether the event contains the server's state of its record.
    var tellsState: Bool { (kind == .received || kind == .acknowledged) && serverState != nil }
}

extension EventKind {
    /// Whether events of this kind change a table other than the rows and their tombstones.
    var changesServerTables: Bool { tellsServerState || self == .noted }

    /// Whether events of this kind may change the server's state of a record.
    package var tellsServerState: Bool {
        switch self {
        case .received, .acknowledged, .leftScope: true
        case .saved, .deleted, .rejected, .schemaChanged, .noted: false
        }
    }
}

extension EventSections {
    /// The sections of an event that came from a server.
    init(server: ServerState?, answering answer: Answer?) {
        self.init(server: server?.encoded ?? [], answer: answer?.encoded ?? [])
    }

    /// The sections of an event that tells a server's state of a record.
    package init(server: ServerState) { self.init(server: server.encoded) }
}
