@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

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
        try scan(plan, query, table, skipping: nil) { _ in
            total += 1
            return total < most
        }
        return total
    }
}
