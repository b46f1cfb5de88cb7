/// What an event says to and of a server.
extension Event {
    /// What identifies the mutation that this event asks for.
    public var mutationID: MutationID {
        MutationID(incarnation: header(EventFormat.Offset.incarnation, as: UInt64.self), sequence: sequence)
    }

    /// Whether the event asks for a mutation on a server: a change that was made here, of a model that is synced. A save
    /// that changes nothing asks for none.
    public var asksForMutation: Bool {
        guard let layout, read(\.isLocalChange) ?? false else { return false }
        return !(schemas.latest?.model(numbered: layout.number) ?? layout).isLocalOnly
    }

    /// What the server says about the record, if the event came from one.
    public var serverState: ServerState? { read(\.serverState) ?? nil }

    /// Which mutation the event answers, if it answers one.
    public var answer: Answer? { read(\.answer) ?? nil }

    /// Why the server refused, for ``EventKind/rejected``.
    public var reason: String? {
        guard kind == .rejected else { return nil }
        return read { String(validating: $0.payload.assumingMemoryBound(to: UInt8.self), as: UTF8.self) } ?? nil
    }

    /// The note that the event makes or removes, `nil` if the event is not of kind ``EventKind/noted``.
    package var note: SyncNote? {
        read { view in
            guard let bytes = view.noteName,
                let name = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
            else { return nil }
            return SyncNote(name: name, value: view.noteValue.map { Array($0) })
        } ?? nil
    }
}
