/// What an event's bytes say to and of a server.
extension EventView {
    /// What a server says about the record, `nil` if the event says nothing of it.
    var serverState: ServerState? { serverSection.flatMap { ServerState(encoded: $0) } }

    /// Which mutation the event answers, `nil` if it answers none.
    var answer: Answer? { answerSection.flatMap { Answer(encoded: $0) } }

    /// Whether the event asks for a mutation on the server: a change that was made here. A save that changes nothing asks
    /// for none.
    var isLocalChange: Bool {
        (kind == .saved && !isUnchanged || kind == .deleted) && origin == .local && !isMigrated
    }

    /// Whether the event is a save of what the record was already.
    var isUnchanged: Bool { kind == .saved && changedFields.isEmpty }

    /// Whether the event says what a server holds of its record.
    var tellsState: Bool { (kind == .received || kind == .acknowledged) && serverState != nil }
}

extension StagedEvent {
    /// Whether the event says nothing besides what becomes of a row.
    var changesRowAlone: Bool { changesRow && !kind.tellsServerState }
}

extension EventKind {
    /// Whether events of this kind change a table besides the rows and their tombstones.
    var changesServerTables: Bool { tellsServerState || self == .noted }

    /// Whether events of this kind may say what a server holds.
    var tellsServerState: Bool {
        switch self {
        case .received, .acknowledged, .leftScope: true
        case .saved, .deleted, .rejected, .schemaChanged, .noted: false
        }
    }
}

extension EventSections {
    /// The sections of an event that came from a server.
    init(server: ServerState?, answering answer: Answer? = nil) {
        self.init(server: server?.encoded ?? [], answer: answer?.encoded ?? [])
    }
}
