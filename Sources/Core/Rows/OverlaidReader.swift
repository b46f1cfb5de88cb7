/// Reads an adapter's rows with changes over them. A change hides the row or entry that it replaces.
protocol OverlaidReader: AdapterReader {
    /// The base rows, as of the checkpoint at which the changes begin.
    var base: any AdapterReader { get }
    /// The changed rows and auxiliary entries. A deleted row and a removed entry have no value.
    var rows: OrderedTables { get }
    /// The entry whose memory the caller may still read.
    var lent: TableEntry? { get set }
}

extension OverlaidReader {
    func checkpoint() throws -> Checkpoint? { rows.checkpoint }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        lent = rows[model].entry(key)
        guard let lent else { return try base.get(key, in: model) }
        return try lent.row()
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        let changes = rows[query.model]
        guard !changes.isEmpty else { return try base.fetch(query, body) }
        var window = PageWindow(query.page)
        guard window.hasRoom else { return }
        try merge(query, changes) { row in
            guard window.admitsNext() else { return true }
            return try body(row) && window.hasRoom
        }
    }

    func count(_ query: StorageQuery) throws -> Int {
        rows[query.model].isEmpty ? try base.count(query) : try countByFetching(query)
    }

    func plan(_ query: StorageQuery) throws -> QueryPlan { try base.plan(query) }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        lent = rows[table].entry(key)
        guard let lent else { return try base.auxiliaryValue(key, in: table) }
        return lent.value
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let changes = rows[table]
        var changed: [TableEntry] = []
        changes.forEach(after: key) { entry in
            if entry.value != nil { changed.append(entry) }
            return true
        }
        var next = changed[...]
        var goesOn = true
        try base.auxiliaryEntries(after: key, in: table) { key, value in
            while goesOn, let entry = next.first, ByteComparison.order(entry.key, key) <= 0 {
                next = next.dropFirst()
                if let value = entry.value { goesOn = try body(entry.key, value) }
            }
            if goesOn, changes.entry(key) == nil { goesOn = try body(key, value) }
            return goesOn
        }
        while goesOn, let entry = next.popFirst() {
            if let value = entry.value { goesOn = try body(entry.key, value) }
        }
    }

    /// Passes the rows that match `query`, in its order, to `body` until it returns false. The page is not applied.
    private func merge(_ query: StorageQuery, _ changes: OrderedTable, _ body: (StoredRow) throws -> Bool) throws {
        var next = try changed(query, changes)[...]
        var goesOn = true
        try base.fetch(query.widened(by: changes.count)) { row in
            guard changes.entry(row.key) == nil else { return true }
            if !next.isEmpty {
                let order = try query.order(of: row.row, key: Array(row.key))
                while goesOn, let change = next.first, change.order.precedes(order) {
                    next = next.dropFirst()
                    goesOn = try body(change.row)
                }
            }
            if goesOn { goesOn = try body(row) }
            return goesOn
        }
        while goesOn, let change = next.popFirst() { goesOn = try body(change.row) }
        withExtendedLifetime(changes) {}
    }

    /// The changed rows that match `query`, in its order, without its page. They are valid as long as `changes` has them.
    private func changed(_ query: StorageQuery, _ changes: OrderedTable) throws -> [(order: [UInt8], row: StoredRow)] {
        var found: [(order: [UInt8], row: StoredRow)] = []
        try changes.forEach(after: query.afterKey) { entry in
            if let row = try entry.row(), try query.filter.evaluate(row.row) {
                found.append((try query.order(of: row.row, key: Array(row.key)), row))
            }
            return true
        }
        if !query.sort.isEmpty { found.sort { $0.order.precedes($1.order) } }
        return found
    }
}

extension StorageQuery {
    /// The same query from its first row, with a limit that is large enough even if `count` of its rows are hidden.
    fileprivate func widened(by count: Int) throws -> StorageQuery {
        let sort = Sort(self.sort.map { Sort.Key($0.field.name, isDescending: $0.isDescending) })
        let end = page.end.map { end in
            let (sum, overflows) = end.addingReportingOverflow(count)
            return overflows ? Int.max : sum
        }
        return try StorageQuery(
            model: model, predicate: predicate, sort: sort, page: Page(limit: end), afterKey: afterKey)
    }
}
