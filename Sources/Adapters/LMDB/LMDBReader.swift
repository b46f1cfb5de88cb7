@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The reading of snapshots and write transactions.
///
/// After its end, it refers to no transaction, so the files can be closed with the adapter even if a caller still has a reader.
class LMDBReader: AdapterReader {
    private final var running: Transaction?
    final var keyspaces: Keyspaces

    init(_ transaction: Transaction, _ keyspaces: Keyspaces) {
        running = transaction
        self.keyspaces = keyspaces
    }

    /// The underlying transaction.
    final var transaction: Transaction {
        guard let running else { preconditionFailure("nothing is called on a reader that has ended") }
        return running
    }

    /// Completes pending writes, so that a query sees all changes of its transaction.
    func settle() throws {}

    /// Continues in another transaction.
    final func goOn(in transaction: Transaction) { running = transaction }

    /// Releases the transaction.
    final func release() { running = nil }

    final func checkpoint() throws -> Checkpoint? {
        guard let metadata = keyspaces.metadata else { return nil }
        let value = try translating("read the checkpoint") {
            try withBytes(of: Keyspaces.MetadataKey.checkpoint) { try transaction.get(metadata, $0) }
        }
        guard let value else { return nil }
        guard let checkpoint = Checkpoint(encoded: value) else { throw damaged("the checkpoint does not decode") }
        return checkpoint
    }

    final func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        try keyspaces.table(model).flatMap { try transaction.row(key, in: $0) }
    }

    final func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
        guard let keyspace = keyspaces.auxiliary(table) else { return nil }
        return try translating("read an auxiliary row") { try transaction.get(keyspace, key) }
    }

    final func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let keyspace = keyspaces.auxiliary(table) else { return }
        let cursor = try translating("read auxiliary rows") { try transaction.cursor(keyspace) }
        var entry = try translating("read auxiliary rows") {
            guard let key else { return try cursor.first() }
            return try (key + [0]).withUnsafeBytes { try cursor.seek(atLeast: $0) }
        }
        while let current = entry {
            guard try body(current.key, current.value) else { return }
            entry = try translating("read auxiliary rows") { try cursor.next() }
        }
    }
}

// MARK: - Fetching

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

    private func accessPlan(_ query: StorageQuery, for purpose: Planner.Purpose) throws -> AccessPlan {
        let indexes = keyspaces.indexes(query.model)
        return Planner(query, for: purpose, idGroup: try idGroup(query)) { index in
            // The index may be newer than the snapshot, or the query's layout may be older than the index.
            indexes.index(numbered: index.number)?.components
                == ContiguousArray(index.fields.map(IndexKey.Component.init))
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
            try scan(plan, of: query, in: table, skipping: page) { page.add($0) }
        } else {
            let sorter = RowSorter(query.sort, page: query.page)
            try scan(plan, of: query, in: table, skipping: nil) { row in
                try sorter.add(row)
                return true
            }
            _ = try sorter.forEach { page.add(try StoredRow(key: $0, value: $1)) }
        }
    }

    /// Passes the rows that `plan` finds and that match `query` to `body` until it returns false.
    ///
    /// - Parameter skipping: The page whose first rows may be skipped without being read.
    private func scan(
        _ plan: AccessPlan, of query: StorageQuery, in table: Keyspace, skipping page: RowPage?,
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
            let scan = OrderedScan(
                try transaction.cursor(table), plan, componentLimit: .max,
                readAhead: transaction.leafReadAhead(ofKeyspaceNamed: StoredLayouts.name(ofModel: query.model.number)))
            guard query.afterKey != nil else { return try scan.run(long: { _ in true }, visit) }
            try scan.run(long: { _ in true }) { try query.isBeyond($0) ? visit($0, $1) : true }
        case .index(let number):
            // If every row that is found matches, rows beyond the page need not be found.
            let page = isProven ? page : nil
            let skipped = query.afterKey == nil ? page : nil
            let limit = skipped == nil ? page?.page.end : page?.page.limit
            try scanIndex(number, by: plan, of: query, in: table, skipping: skipped, limit: limit, visit)
        case .alternatives(let alternatives, let areDisjoint):
            try scan(alternatives, areDisjoint: areDisjoint, of: query, in: table, body)
        }
    }

    /// Passes the rows of each alternative to `body`. A row that several alternatives find is passed only once.
    private func scan(
        _ alternatives: [AccessPlan], areDisjoint: Bool, of query: StorageQuery, in table: Keyspace,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        var seen = Set<[UInt8]>()
        var goesOn = true
        for alternative in alternatives where goesOn {
            try scan(alternative, of: query, in: table, skipping: nil) { row in
                guard areDisjoint || seen.insert(Array(row.key)).inserted else { return true }
                goesOn = try body(row)
                return goesOn
            }
        }
    }

    private func scanIndex(
        _ number: UInt16, by plan: AccessPlan, of query: StorageQuery, in table: Keyspace, skipping page: RowPage?,
        limit: Int?, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let index = keyspaces.indexes(query.model).index(numbered: number) else {
            preconditionFailure("the planner chooses among the indexes there are")
        }
        let count = index.components.count
        let keyCount = query.model.keyFields.count
        var table = RowTable(transaction, table, named: StoredLayouts.name(ofModel: query.model.number))
        let scan = OrderedScan(try transaction.cursor(index.keyspace), plan, componentLimit: IndexKey.keptByteCount)
        // Visits the rows of keys that are in no particular order.
        func long(_ entries: [UnsafeRawBufferPointer]) throws -> Bool {
            let sorter = RowSorter(query.sort, page: .all)
            for entry in entries {
                let key = try IndexKey.primaryKey(in: entry, componentCount: count, keyFieldCount: keyCount)
                let row = try StoredRow(key: key, value: try table.row(key))
                if query.isBeyond(key), try query.filter.evaluate(row.row) { try sorter.add(row) }
            }
            return try sorter.forEach { try visit($0, $1) }
        }
        var rows = FetchedRows(limit: limit)
        func visitRows() throws -> Bool { try rows.visit(in: &table, visit) }
        try scan.run(long: { try visitRows() && long($0) }) { entry, _ in
            if let page, page.skip() { return true }
            let key = try IndexKey.primaryKey(in: entry, componentCount: count, keyFieldCount: keyCount)
            guard query.isBeyond(key) else { return true }
            return try rows.add(key) ? visitRows() : true
        }
        _ = try visitRows()
    }
}

// MARK: - Counting

extension LMDBReader {
    final func count(_ query: StorageQuery) throws -> Int {
        guard let table = keyspaces.table(query.model) else { return 0 }
        let page = query.page
        // The count can stop at this number.
        let most = page.end ?? .max
        let total = try translating("count rows") {
            try settle()
            return try count(query, table, most)
        }
        return max(0, min(total, most) - page.offset)
    }

    private func count(_ query: StorageQuery, _ table: Keyspace, _ most: Int) throws -> Int {
        guard most > 0 else { return 0 }
        if query.filter.isAlwaysTrue, query.afterKey == nil { return try transaction.entryCount(table) }
        let plan = try accessPlan(query, for: .count)
        var total = 0
        if case .index(let number) = plan.access, plan.provesPredicate, query.afterKey == nil,
            let index = keyspaces.indexes(query.model).index(numbered: number)
        {
            let scan = OrderedScan(try transaction.cursor(index.keyspace), plan, componentLimit: .max)
            try scan.run(long: { _ in true }) { _, _ in
                total += 1
                return total < most
            }
            return total
        }
        try scan(plan, of: query, in: table, skipping: nil) { _ in
            total += 1
            return total < most
        }
        return total
    }
}

extension StorageQuery {
    /// Whether `key` comes after the key at which the query begins.
    @inline(__always)
    fileprivate func isBeyond(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let afterKey else { return true }
        return afterKey.withUnsafeBytes { $0.precedes(key) }
    }
}

/// The page of a result while its rows are returned.
private final class RowPage {
    let page: Page
    private let body: (StoredRow) throws -> Bool
    private var window: PageWindow
    /// The error of the receiver. It must not be treated as a failure of the adapter.
    private(set) var failure: (any Error)?

    init(_ page: Page, _ body: @escaping (StoredRow) throws -> Bool) {
        self.page = page
        self.body = body
        window = PageWindow(page)
    }

    /// Skips the next row without reading it, if the page begins later.
    @inline(__always)
    func skip() -> Bool { window.skipsNext() }

    /// Passes `row` to the receiver if it is in the page. Returns whether more rows are wanted.
    @inline(__always)
    func add(_ row: StoredRow) -> Bool {
        guard window.admitsNext() else { return true }
        do { return try body(row) && window.hasRoom } catch {
            failure = error
            return false
        }
    }
}

extension Transaction {
    /// The row under `key` in `table`, or `nil` if there is none.
    @inline(__always)
    func row(_ key: UnsafeRawBufferPointer, in table: Keyspace) throws -> StoredRow? {
        try translating("read a row") {
            guard let value = try get(table, key) else { return nil }
            // The fields are read one after the other. The processor waits less if it begins to read all of them now.
            value.prefetch()
            return try StoredRow(key: key, value: value)
        }
    }
}

extension StoredRow {
    /// The number of bytes of the sequence number before a stored row.
    static let headerByteCount = 8

    /// The row in `value`, which is a value in a model's keyspace.
    @inline(__always)
    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws {
        guard value.count >= Self.headerByteCount else { throw damaged("a row is too short") }
        let sequence = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        let row = try RowView(UnsafeRawBufferPointer(rebasing: value[Self.headerByteCount...]))
        self.init(key: key, sequence: SequenceNumber(sequence), row: row)
    }
}
