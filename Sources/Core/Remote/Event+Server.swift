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
    package var note: SyncNote? {
        read { view in
            guard let bytes = view.noteName,
                let name = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
            else { return nil }
            return SyncNote(name: name, value: view.noteValue.map { Array($0) })
        } ?? nil
    }
}
