extension StoreTransaction {
    /// Checks that the required parents of all records saved by this member exist, if the schema requires this. The
    /// check happens at the end of the member, so that parents and children may be saved in any order.
    ///
    /// - Throws: ``DataStoreError`` with code `parentMissing`.
    func checkParents() throws {
        guard layout.relations.requireParents, requiresParents != false else { return }
        let references = try parentReferences()
        guard !references.isEmpty else { return }
        // In a synced store the parents may not have arrived yet. The server then decides.
        if requiresParents == nil, try isSynced { return }
        var last: ParentReference?
        for reference in references.sorted(by: ParentReference.precedes) {
            if let last, last.key == reference.key, last.relation.target === reference.relation.target { continue }
            last = reference
            let isThere = try reference.key?.withUnsafeBytes { key in
                try currentRow(key, reference.relation.target) != nil
            }
            guard isThere == true else { throw try parentMissing(reference) }
        }
    }

    /// The required references of the records that this member saves and does not delete again.
    private func parentReferences() throws -> [ParentReference] {
        var references: [ParentReference] = []
        var model: UInt32 = 0
        var relations: [(relation: RelationLayout, fields: [FieldLayout])] = []
        for index in memberEvents {
            let event = staged.events[index]
            guard event.kind == .saved, let layout = event.layout else { continue }
            if layout.number != model {
                model = layout.number
                relations = self.layout.relations.requiredParents(of: layout)
            }
            guard !relations.isEmpty, staged.latest(of: staged.key(at: index), model: model) == index,
                try staged.view(at: index).origin == .local, let row = try staged.row(at: index)
            else { continue }
            for (relation, fields) in relations {
                let key = try fields.key(of: row, as: relation.target)
                // In most writes the children of one parent follow each other.
                if let last = references.last, last.relation === relation, last.key == key, key != nil { continue }
                references.append(ParentReference(relation: relation, key: key, event: index))
            }
        }
        return references
    }

    /// Whether a sync engine has sent events of this store to a server.
    private var isSynced: Bool {
        get throws {
            if let moved = consumerPositions[ConsumerName.outbox] { return moved ?? .start != .start }
            return try log.withReader { try $0.position(of: ConsumerName.outbox) } ?? .start != .start
        }
    }

    private func parentMissing(_ reference: ParentReference) throws -> DataStoreError {
        let (relation, row) = (reference.relation, try staged.row(at: reference.event))
        let (owner, target) = (relation.owner.name, relation.target.name)
        var error = DataStoreError(
            .parentMissing,
            reference.key == nil
                ? "A record of \(owner) has no \(target) for its \(relation.name)."
                : "The \(target) that \(relation.name) of a record of \(owner) refers to is not there.",
            model: owner, recordID: try row.map { row throws(RowDamage) in try relation.owner.recordID(of: row) },
            recovery: "Save the \(target) first or in the same write, or write with requireParents: false.")
        error.field = relation.name
        if reference.key != nil, case .ownKey(let fields) = relation.path, let row {
            error.parentID = try fields.values(of: row).map { RecordID($0) }
        }
        return error
    }
}

/// The reference of a saved record to a parent that must exist.
private struct ParentReference {
    let relation: RelationLayout
    /// The key of the parent, `nil` if the record names no parent.
    let key: [UInt8]?
    /// The index of the record's staged event.
    let event: Int

    /// Orders references by the models and keys of the parents.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        let (leftModel, rightModel) = (left.relation.target.number, right.relation.target.number)
        return leftModel == rightModel ? (left.key ?? []).precedes(right.key ?? []) : leftModel < rightModel
    }
}
