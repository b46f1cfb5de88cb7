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

extension StoreTransaction {
    /// Checks the row of the staged event at `index` against the rules of its fields. The event is the last one.
    ///
    /// A value that the record has already breaks no rule. So a record that is older than a rule can be saved again.
    ///
    /// - Throws: ``DataStoreError`` with code `ruleBroken`. The event is then no longer staged.
    @inline(never)
    func checkRules(at index: Int, _ model: ModelLayout) throws {
        assert(index == staged.count - 1, "the rules of an event are checked when it was just staged")
        guard checksRules, let row = try staged.row(at: index) else { return }
        do {
            for (field, rules) in model.row.ruledFields {
                guard let value = try row.value(field.slot),
                    let rule = try rules.first(where: { try !$0.admits(value, of: field) }),
                    try !isPresent(value, in: field, before: index, model)
                else { continue }
                throw broken(rule, field, model, id: try? model.recordID(of: row))
            }
        } catch {
            staged.truncate(to: index)
            throw error
        }
    }

    /// Whether the record had `value` in `field` before the event at `index`.
    private func isPresent(
        _ value: UnsafeRawBufferPointer, in field: FieldLayout, before index: Int, _ model: ModelLayout
    ) throws -> Bool {
        let prior = Int(staged.events[index].prior)
        let row = try prior >= 0 ? staged.row(at: prior) : rows.get(staged.key(at: index), in: model)?.row
        guard let present = try row?.value(field.slot) else { return false }
        return ByteComparison.order(present, value) == 0
    }

    private func broken(
        _ rule: ValidationRule, _ field: FieldLayout, _ model: ModelLayout, id: RecordID?
    ) -> DataStoreError {
        var error = DataStoreError(
            .ruleBroken, "\(model.name).\(field.name) breaks the rule \(rule): \(rule.message(for: field.name))",
            model: model.name, recordID: id, recovery: "Give a value that follows the schema's rules.")
        error.field = field.name
        error.rule = rule
        return error
    }
}

extension ValidationRule {
    /// Whether the stored `value` of `field` follows the rule.
    fileprivate func admits(_ value: UnsafeRawBufferPointer, of field: FieldLayout) throws(RowDamage) -> Bool {
        switch field.kind {
        case .string: admits(text: value)
        case .int: admits(.int(try RowView.int(value)))
        case .double: admits(.double(try Double.decoded(from: value)))
        default: true
        }
    }
}
