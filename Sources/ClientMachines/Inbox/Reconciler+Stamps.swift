internal import TidelogSchema

/// The decisions for a server without versions. Two states of a record are the same if their stamps are equal. The times of
/// stamps only tell whether the server must be asked again, because its computers have different clocks.
extension Reconciler {
    func reconcileStamped(
        _ record: ServerRecord, from source: Source, _ standing: Standing, isInScope: (Record) -> Bool
    ) -> Result {
        var result = Result(record)
        switch source {
        case .response: answered(&result, standing, isInScope)
        case .push: pushed(&result, standing, isInScope)
        case .query, .baseQuery, .records:
            let isBelieved = Self.isConfirmed(record, by: source) || Self.isRecent(record, standing.known)
            if Self.isSame(record, standing.known), standing.serverRow == record.row {
                result.events = unchanged(record, standing, isInScope)
            } else if isBelieved {
                result.events = pushed(record, standing, isInScope)
            } else {
                result.isInDoubt = true
            }
        }
        assert(source == .response || !result.isInDoubt || result.events.isEmpty, "a record in doubt changes nothing")
        return result
    }

    private static func isConfirmed(_ record: ServerRecord, by source: Source) -> Bool {
        if case .records(let confirmed) = source { confirmed.contains(record.reference) } else { false }
    }

    private static func isSame(_ record: ServerRecord, _ known: ServerState?) -> Bool {
        known.map { $0.version == record.version && $0.isDeleted == record.isDeleted } ?? false
    }

    /// Whether the record's time is after that of the known state, or the record has the same stamp. A record that is known to
    /// be deleted may only be read from a copy that does not have the deletion yet.
    private static func isRecent(_ record: ServerRecord, _ known: ServerState?) -> Bool {
        guard let known else { return true }
        let version = known.version ?? 0
        return RecordStamp.isEarlier(version, than: record.version) || record.version == version && !known.isDeleted
    }

    /// Handles a message of a subscription. It has only the fields that the writer of the change selected.
    private func pushed(_ result: inout Result, _ standing: Standing, _ isInScope: (Record) -> Bool) {
        guard !Self.isSame(result.record, standing.known) else { return }
        if result.record.deletedRow != nil, Self.isRecent(result.record, standing.known) {
            result.events = pushed(result.record, standing, isInScope)
            return
        }
        // A deletion without a mark is believed only if the server says that it does not have the record.
        guard let row = result.record.row, Self.isRecent(result.record, standing.known),
            standing.model?.contents.allSatisfy({ Self.isWhole(row[$0]) || Self.isUndeleted(row, $0, standing) })
                ?? true
        else {
            result.isInDoubt = !(result.record.isDeleted && standing.known?.isDeleted ?? false)
            return
        }
        result.events = pushed(result.record, standing, isInScope)
    }

    /// Whether the field is the mark of a deletion, and its null hides no value because a Tidelog device made the change. Such
    /// devices select every field.
    private static func isUndeleted(_ row: Record, _ name: String, _ standing: Standing) -> Bool {
        guard name == RecordStamp.deletionField, standing.model?.marksDeletions ?? false, row[name] == nil,
            let tag = row[RecordStamp.tagField]
        else { return false }
        // Another client leaves the tag as it is. A record that was just created is not deleted.
        guard let former = standing.serverRow else { return row["createdAt"] == row[RecordStamp.timeField] }
        return tag != former[RecordStamp.tagField]
    }

    /// Whether no part of the value is null. A null may stand for a value that was not selected.
    private static func isWhole(_ value: FieldValue?) -> Bool {
        switch value {
        case nil: false
        case .embedded(let members)?: members.values.allSatisfy { isWhole($0) }
        case .list(let elements)?: elements.allSatisfy { isWhole($0) }
        default: true
        }
    }

    /// Handles the response to a mutation, which the server made on the condition that the record was in the known state.
    private func answered(_ result: inout Result, _ standing: Standing, _ isInScope: (Record) -> Bool) {
        if let model = standing.model {
            // The condition shows that no other change came in between.
            result.isInDoubt = result.record.complete(
                from: standing.mutatedRow, followsFormer: true, isPush: false, model)
        }
        // The server made the change on the condition that the record was in the state of the base, so that this state is over,
        // although the computer that answered may have given the new state an earlier time.
        var standing = standing
        if standing.shadow?.version == standing.mutatedVersion { standing.shadow = nil }
        result.events = response(result.record, standing, isInScope)
        // A record that is missing has the stamp of its last known state.
        if let shadow = standing.shadow, !shadow.hasState(of: result.record) { result.isInDoubt = true }
    }
}
