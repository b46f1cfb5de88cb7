package import TidelogCore

/// Handles changes that cancel each other out, and set-aside changes.
extension SyncStore {
    /// Ends changes of a record that cancel each other out. The row becomes the server's if the server has one.
    package func settle(
        _ reference: RecordReference, through last: SequenceNumber, _ pending: PendingChanges
    ) async throws {
        let pending = pending.excerpt(of: [reference])
        try await write { [isInScope] transaction in
            try transaction.require(reference, notAfter: pending.head)
            var pending = pending
            if !pending.holdsRow(of: reference, after: last), let shadow = pending.shadow(of: reference) {
                try transaction.show(shadow, isInScope: isInScope)
            }
            try transaction.moveOutbox(to: pending.position(answering: (reference, last)))
        }
    }

    package func join(_ reference: RecordReference, _ pending: PendingChanges) async throws {
        let pending = pending.excerpt(of: [reference])
        let changes = pending.changes(of: reference)
        guard let held = pending.held(reference), let last = changes.last, let model = models[reference.model] else {
            return
        }
        try await write { [isInScope] transaction in
            try transaction.require(reference, notAfter: pending.head)
            var (joined, pending) = (held, pending)
            let row = try transaction.record(reference.model, id: reference.id)
            let fold = Fold(changes[...], state: nil)
            joined.last = last.sequence
            joined.server = pending.shadow(of: reference) ?? held.server
            if row == nil {
                (joined.kind, joined.fields) = (held.kind == .create ? .create : .delete, [:])
            } else if held.kind == .update {
                var names = Set(held.fields.keys)
                if case .named(let changed) = fold.fields { names.formUnion(changed) }
                joined.fields = OutgoingMutation.fields(
                    changes.contains { $0.kind == .delete } || fold.kind == .create ? .all : .named(names), of: row,
                    .update, model)
            } else {
                joined.kind = held.kind == .delete ? .update : held.kind
                joined.fields = OutgoingMutation.fields(.all, of: row, joined.kind, model)
            }
            // If the record is deleted and the server never had it, nothing is left to ask for.
            let isNothing = row == nil && held.kind == .create
            if isNothing, let server = joined.server, server.row != nil {
                try transaction.show(server, isInScope: isInScope)
            }
            try transaction.append(noted: joined.noteName, value: isNothing ? nil : joined.encoded)
            if !isNothing { try transaction.moveOutbox(to: pending.position(answering: (reference, last.sequence))) }
        }
    }

    /// Discards a set-aside change. Its record becomes the server's.
    ///
    /// - Returns: Whether there was such a change.
    @discardableResult
    package func discard(first: SequenceNumber, _ pending: PendingChanges) async throws -> Bool {
        try await write { [isInScope] in try Self.release(first, $0, pending, isInScope) != nil }
    }

    /// Tries a set-aside change again, as a new change of the current row.
    ///
    /// - Returns: Whether there was such a change.
    /// - Throws: ``DataStoreError``. If the record is gone and the change has not all required fields, nothing is changed.
    @discardableResult
    package func retry(first: SequenceNumber, _ pending: PendingChanges) async throws -> Bool {
        try await write { [models, isInScope] transaction in
            guard let (change, former) = try Self.release(first, transaction, pending, isInScope) else { return false }
            let reference = change.reference
            guard change.kind != .delete else {
                try transaction.delete(reference.model, id: reference.id, cascading: false)
                return true
            }
            let present = try transaction.record(reference.model, id: reference.id)
            guard var row = present ?? former ?? change.emptyRow(models) else { return false }
            for (name, value) in change.fields { row[name] = value }
            // The server decides about the change again, because its rules can differ from this build's rules.
            transaction.checksRules = false
            do {
                try transaction.save(row)
            } catch let error as DataStoreError where error.code == .invalidValue && present == nil && former == nil {
                throw change.isIncomplete(error)
            }
            return true
        }
    }

    /// Removes the note of a set-aside change, and restores the server's row if the row has the change.
    ///
    /// - Returns: The change, and the row before it was released.
    private static func release(
        _ first: SequenceNumber, _ transaction: StoreTransaction, _ pending: PendingChanges,
        _ isInScope: (Record) -> Bool
    ) throws -> (change: SetAsideChange, row: Record?)? {
        let name = NoteName.setAside(first.value)
        guard let change = try transaction.note(name).flatMap({ SetAsideChange(encoded: $0) }) else { return nil }
        let reference = change.reference
        try transaction.require(reference, notAfter: pending.head)
        let row = try transaction.record(reference.model, id: reference.id)
        if change.holdsRow {
            let server = pending.shadow(of: reference) ?? change.server
            if let server, server.row != nil || server.version > 0 {
                try transaction.show(server, isInScope: isInScope)
            } else {
                try transaction.append([.leftScope], of: reference)
            }
        }
        try transaction.append(noted: name, value: nil)
        return (change, row)
    }
}

extension SetAsideChange {
    /// The error of a change that cannot create its record again.
    fileprivate func isIncomplete(_ error: DataStoreError) -> DataStoreError {
        DataStoreError(
            .invalidValue,
            "\(reference.model) \(reference.id) was deleted, and the change has too few fields to create it again.",
            model: reference.model, recordID: reference.id, underlying: error,
            recovery: "Discard the change, or save the record with all its fields.")
    }

    /// A row of the record with its key alone.
    fileprivate func emptyRow(_ models: SyncModels) -> Record? {
        models[reference.model].map { model in
            Record(
                model: reference.model,
                values: Dictionary(uniqueKeysWithValues: zip(model.key, reference.id.components)))
        }
    }
}
