@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

extension LMDBReader {
    final func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        guard query.page.limit != 0, let table = keyspaces.table(query.model) else { return }
        try withoutActuallyEscaping(body) { body in
            let page = RowPage(query.page, body)
            try translating("read rows") {
                try settle()
                try fetch(query, table, into: page)
            }
            if let failure = page.failure { throw failure }
        }
    }

    final func plan(_ query: StorageQuery) throws -> QueryPlan {
        try translating("plan a query") { try accessPlan(query, for: .rows).described(query) }
    }

    final func accessPlan(_ query: StorageQuery, for purpose: Planner.Purpose) throws -> AccessPlan {
        let indexes = keyspaces.indexes(query.model)
        return Planner(query, for: purpose, idGroup: try idGroup(query)) { index in
            // The index may be newer than the snapshot, or the query's layout may be older than the index.
            indexes.index(numbered: index.number)?.components == ContiguousArray(index.fields.map(KeyComponent.init))
        }.plan()
    }

    /// The group of all IDs in the query's table, if the plan depends on it.
    private func idGroup(_ query: StorageQuery) throws -> IDKeyGroup? {
        guard query.asksForIDOrder, let table = keyspaces.table(query.model) else { return nil }
        let cursor = try transaction.cursor(table)
        // The memory of the first entry stays valid while the cursor moves, because nothing is written during this call.
        guard let first = try cursor.first(), let last = try cursor.last() else { return nil }
        return IDKeyGroup(ofKeysFrom: first.key, to: last.key)
    }

    private func fetch(_ query: StorageQuery, _ table: Keyspace, into page: RowPage) throws {
        let plan = try accessPlan(query, for: .rows)
        if plan.matchesOrder {
            try scan(plan, query, table, skipping: page) { page.add($0) }
        } else {
            let sorter = RowSorter(query.sort, page: query.page)
            try scan(plan, query, table, skipping: nil) { row in
                try sorter.add(row)
                return true
            }
            try sorter.finish(into: page)
        }
    }

    /// Passes the rows that `plan` finds and that match `query` to `body` until it returns false.
    ///
    /// - Parameter skipping: The page whose first rows may be skipped without being read.
    final func scan(
        _ plan: AccessPlan, _ query: StorageQuery, _ table: Keyspace, skipping page: RowPage?,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        let filter = query.filter
        let isProven = plan.provesPredicate
        func visit(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool {
            let row = try StoredRow(key: key, value: value)
            if !isProven, try !filter.evaluate(row.row) { return true }
            return try body(row)
        }
        switch plan.access {
        case .nothing: return
        case .key(let key):
            try key.withUnsafeBytes { key in
                if query.isBeyond(key), let value = try transaction.get(table, key) { _ = try visit(key, value) }
            }
        case .table:
            let scan = OrderedScan(try transaction.cursor(table), plan, componentLimit: .max)
            try scan.run(long: { _ in true }) { key, value in
                query.isBeyond(key) ? try visit(key, value) : true
            }
        case .index(let number):
            let skipped = plan.provesPredicate && query.afterKey == nil ? page : nil
            try scanIndex(number, plan, query, table, skipping: skipped, visit)
        case .alternatives(let alternatives, let areDisjoint):
            try scan(alternatives, areDisjoint: areDisjoint, query, table, body)
        }
    }

    /// Passes the rows of each alternative to `body`. A row that several alternatives find is passed only once.
    private func scan(
        _ alternatives: [AccessPlan], areDisjoint: Bool, _ query: StorageQuery, _ table: Keyspace,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        var seen = Set<[UInt8]>()
        var goesOn = true
        for alternative in alternatives where goesOn {
            try scan(alternative, query, table, skipping: nil) { row in
                guard areDisjoint || seen.insert(Array(row.key)).inserted else { return true }
                goesOn = try body(row)
                return goesOn
            }
        }
    }

    private func scanIndex(
        _ number: UInt16, _ plan: AccessPlan, _ query: StorageQuery, _ table: Keyspace, skipping page: RowPage?,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let index = keyspaces.indexes(query.model).index(numbered: number) else {
            preconditionFailure("the planner chooses among the indexes there are")
        }
        let count = index.components.count
        let keyCount = query.model.keyFields.count
        func fetch(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
            guard let value = try transaction.get(table, key) else { throw damaged("an index names a missing row") }
            return value
        }
        let scan = OrderedScan(
            try transaction.cursor(index.keyspace), plan, componentLimit: IndexKey.keptByteCount)
        // Visits the rows of keys that are in no particular order.
        func long(_ entries: [UnsafeRawBufferPointer]) throws -> Bool {
            let sorter = RowSorter(query.sort, page: .all)
            for entry in entries {
                let key = try IndexKey.primaryKey(in: entry, componentCount: count, keyFieldCount: keyCount)
                let row = try StoredRow(key: key, value: try fetch(key))
                if query.isBeyond(key), try query.filter.evaluate(row.row) { try sorter.add(row) }
            }
            return try sorter.forEach { try visit($0, $1) }
        }
        try scan.run(long: long) { entry, _ in
            if let page, page.skip() { return true }
            let key = try IndexKey.primaryKey(in: entry, componentCount: count, keyFieldCount: keyCount)
            return query.isBeyond(key) ? try visit(key, try fetch(key)) : true
        }
    }
}

extension StorageQuery {
    /// Whether `key` comes after the key at which the query begins.
    @inline(__always)
    func isBeyond(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let afterKey else { return true }
        return afterKey.withUnsafeBytes { $0.precedes(key) }
    }
}
