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

extension StagedEvent {
    /// Whether the event only changes a row.
    var changesRowAlone: Bool { changesRow && !kind.tellsServerState }
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
