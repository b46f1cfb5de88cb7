extension StoreTransaction {
    /// Checks that no record saved by this member refers to a partner that another record has, for one-to-one
    /// relations. The check happens at the end of the member, so that a write may exchange partners.
    ///
    /// Records that come from a server are not checked.
    ///
    /// - Throws: ``DataStoreError`` with code `alreadyExists`.
    func checkPartners() throws {
        guard layout.relations.havePartners else { return }
        let taken = try takenPartners()
        guard !taken.isEmpty else { return }
        let rows = try rows.applyStaged()
        for (reference, events) in taken {
            let event: Int?
            if reference.isIndexed {
                event = try events.first { try isTaken(reference, at: $0, in: rows) }
            } else {
                event = try firstTaken(reference, among: events, in: rows)
            }
            if let event { throw try partnerTaken(reference, at: event) }
        }
    }

    /// The new references to partners in the records that this member saves and does not delete again, each with its
    /// staged events. References that have not changed are not included.
    private func takenPartners() throws -> [(reference: OneToOne.Reference, events: [Int])] {
        var model: UInt32 = 0
        var found: [(reference: OneToOne.Reference, events: [Int])] = []
        var places: Range<Int> = 0..<0
        for index in memberEvents {
            let event = staged.events[index]
            guard event.kind == .saved, let layout = event.layout else { continue }
            if layout.number != model {
                model = layout.number
                let references = self.layout.relations.partners(of: layout)
                if let first = references.first {
                    let place = found.firstIndex { $0.reference === first } ?? found.count
                    if place == found.count { found += references.map { ($0, []) } }
                    places = place..<place + references.count
                } else {
                    places = 0..<0
                }
            }
            guard !places.isEmpty, staged.latest(of: staged.key(at: index), model: model) == index,
                try staged.view(at: index).origin == .local, let row = try staged.row(at: index)
            else { continue }
            for place in places {
                let fields = found[place].reference.fields
                guard fields.allSatisfy({ row.isPresent($0.slot) }),
                    try !hadPartner(row, fields, at: index, of: layout)
                else { continue }
                found[place].events.append(index)
            }
        }
        return found.filter { !$0.events.isEmpty }
    }

    /// Whether the record of the event at `index` had the same values in `fields` before this member.
    private func hadPartner(
        _ row: RowView, _ fields: [FieldLayout], at index: Int, of model: ModelLayout
    ) throws -> Bool {
        // After the member's own rows were written to the adapter's transaction, the former values are not known.
        guard !hasAppliedMember else { return false }
        var prior = Int(staged.events[index].prior)
        while prior >= memberEvents.lowerBound { prior = Int(staged.events[prior].prior) }
        let before = try prior >= 0 ? staged.row(at: prior) : rows.get(staged.key(at: index), in: model)?.row
        guard let before else { return false }
        return try fields.allSatisfy { field in
            guard let old = try before.value(field.slot), let new = try row.value(field.slot) else { return false }
            return ByteComparison.order(old, new) == 0
        }
    }

    /// Whether another record has the partner of the record that the event at `index` saved.
    private func isTaken(
        _ reference: OneToOne.Reference, at index: Int, in rows: any AdapterTransaction
    ) throws -> Bool {
        guard let row = try staged.row(at: index), let values = try reference.fields.values(of: row) else {
            return false
        }
        var isTaken = false
        try rows.fetch(StorageQuery(model: reference.owner, predicate: reference.fields.equal(values))) { row in
            isTaken = ByteComparison.order(row.key, staged.key(at: index)) != 0
            return !isTaken
        }
        return isTaken
    }

    /// The first of `events` whose record has a partner that another record has. This method reads every record once.
    /// It is for references without an index.
    private func firstTaken(
        _ reference: OneToOne.Reference, among events: [Int], in rows: any AdapterTransaction
    ) throws -> Int? {
        var byPartner: [[UInt8]: Int] = [:]
        for event in events {
            guard let row = try staged.row(at: event), let key = try reference.fields.key(of: row, as: reference.target)
            else { continue }
            byPartner[key] = event
        }
        var found: Int?
        try rows.fetch(StorageQuery(model: reference.owner)) { row in
            if let partner = try reference.fields.key(of: row.row, as: reference.target),
                let event = byPartner[partner],
                ByteComparison.order(row.key, staged.key(at: event)) != 0
            {
                found = event
            }
            return found == nil
        }
        return found
    }

    private func partnerTaken(_ reference: OneToOne.Reference, at index: Int) throws -> DataStoreError {
        let (owner, target) = (reference.owner.name, reference.target.name)
        var error = DataStoreError(
            .alreadyExists,
            "The \(target) that \(reference.name) of a record of \(owner) refers to has another \(owner) already, and the "
                + "relation is one to one.",
            model: owner,
            recordID: try staged.row(at: index).map { row throws(RowDamage) in try reference.owner.recordID(of: row) },
            recovery: "Delete the other \(owner) or let it refer to another \(target), first or in the same write.")
        error.field = reference.name
        return error
    }
}
