/// Links each staged event to the previous event of its record.
extension StagedEvents {
    /// Calls `body` with the first event of each record from index `start` on. Later events of the same record are
    /// already linked. The flag `isChained` tells whether there are any.
    @inline(__always)
    func withHeads(from start: Int, _ body: (borrowing StagedHeads, _ isChained: Bool) throws -> Void) throws {
        // The heads are moved to a local variable during this call, because Swift checks each access to a property of a class.
        var heads = StagedHeads()
        swap(&heads, &self.heads)
        defer {
            heads.removeAll()
            swap(&heads, &self.heads)
        }
        let isChained = heads.collect(self, from: start)
        if isChained { try linkChains(from: start) }
        try body(heads, isChained)
    }

    /// Links each event whose record has an earlier event among the staged events from `start` on.
    private func linkChains(from start: Int) throws {
        for index in start..<count {
            let prior = Int(events[index].prior)
            guard prior >= start else { continue }
            assert(prior < index, "an event comes after its predecessor")
            setPrevious(sequence(at: prior), at: index)
            try noteDifferences(from: row(at: prior), at: index)
        }
    }

    /// Links the event at `head`, the first of its record, to the event `previous`, which left `row`. The value 0 means
    /// that there is no previous event.
    @inline(__always)
    func link(_ head: Int, to previous: UInt64, leaving row: RowView?) throws {
        if previous != 0 { setPrevious(previous, at: head) }
        if let row { try noteDifferences(from: row, at: head) }
    }

    /// Links all staged events.
    ///
    /// - Parameter latest: Returns the last event before the staged ones of the record with the given key, 0 if there
    ///   is none, and the row that it left.
    func link(
        after latest: (_ key: UnsafeRawBufferPointer, ModelLayout) throws -> (sequence: UInt64, row: RowView?)
    ) throws {
        try withHeads(from: 0) { heads, _ in
            for position in 0..<heads.count {
                let head = heads[position]
                guard let layout = events[head].layout else { continue }
                let old = try latest(key(at: head), layout)
                try link(head, to: old.sequence, leaving: old.row)
            }
        }
    }

    /// Links the event at `index`, which changes no row, to the last event before it that changed the row of its record.
    ///
    /// - Parameter latest: Returns the last event of the record with the given key before the staged ones, 0 if there
    ///   is none. It is called if no staged event changed the row of the record.
    func linkEventWithoutRowChange(
        _ index: Int, after latest: (_ key: UnsafeRawBufferPointer, ModelLayout) throws -> UInt64
    ) throws {
        guard let layout = events[index].layout else { return }
        assert(!events[index].changesRow, "events that change rows are linked with their rows")
        let key = key(at: index)
        guard var place = self.latest(of: key, model: layout.number) else {
            return setPrevious(try latest(key, layout), at: index)
        }
        // Later events of the record are already linked. The first of them is linked to the last event before the group.
        while place > index {
            let prior = Int(events[place].prior)
            assert(prior < place, "an event comes after its predecessor")
            if prior < 0 { return setPrevious(try view(at: place).previous.value, at: index) }
            place = prior
        }
        setPrevious(sequence(at: place), at: index)
    }
}
