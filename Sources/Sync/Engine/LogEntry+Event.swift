package import TidelogCore

extension LogEntry {
    /// The meaning of an event of the log for the sync engine.
    ///
    /// - Parameters:
    ///   - placeBefore: The place before the event.
    ///   - models: The models that are synced.
    package init(_ event: Event, after placeBefore: Position, models: SyncModels) {
        let reference = event.model.flatMap { model in
            event.recordID.map { RecordReference(model: model, id: $0) }
        }
        self.init(event.position, Self.content(event, reference, placeBefore, models))
        switch event.kind {
        case .received, .acknowledged, .rejected, .leftScope:
            if let reference, let mutation = event.answer?.mutation { answer = (reference, mutation) }
        case .saved, .deleted, .noted, .schemaChanged: break
        }
    }

    private static func content(
        _ event: Event, _ reference: RecordReference?, _ placeBefore: Position, _ models: SyncModels
    ) -> Content {
        if event.kind == .noted { return event.note(prefix: NoteName.setAsidePrefix).map { content($0) } ?? .other }
        guard let reference, let model = models[reference.model] else { return .other }
        switch event.kind {
        case .saved, .deleted:
            guard event.asksForMutation else { return .other }
            let changedFields = event.changedFields
            // A key never changes, so the event names it as changed only for a new record.
            let isNew = changedFields.contains { $0 == model.key.first }
            // The row is decoded only to find the record's parents.
            let row = model.parents.isEmpty ? nil : event.record
            return .change(
                PendingChange(
                    reference, event.kind == .deleted ? .delete : isNew ? .create : .update,
                    mutation: event.mutationID, chain: event.position.chain, placeBefore: placeBefore,
                    previous: event.previous,
                    madeAt: event.microsecondsSince1970, changedFields: changedFields, condition: event.condition,
                    parents: row.map { model.parents(of: $0) } ?? []))
        case .received:
            guard event.isShadowed, let state = event.serverState else { return .visible(reference) }
            return .shadowed(
                ServerRecord(
                    reference, row: event.record, version: state.version ?? 0, lastChangedAt: state.lastChangedAt))
        case .leftScope: return .visible(reference)
        case .acknowledged, .rejected, .schemaChanged, .noted: return .other
        }
    }

    /// - Parameter note: A note whose name begins with ``NoteName/setAsidePrefix``.
    private static func content(_ note: SyncNote) -> Content {
        guard let first = UInt64(note.name.dropFirst(NoteName.setAsidePrefix.count)) else { return .other }
        guard let value = note.value else { return .decided(SequenceNumber(first)) }
        return SetAsideChange(encoded: value).map { .setAside($0) } ?? .other
    }
}
