@_spi(Adapters) internal import TidelogCore

extension SQLiteReader {
    func plan(_ query: StorageQuery) throws -> QueryPlan {
        guard let shape = try connection.shape(of: query.model) else {
            return QueryPlan(index: nil, summary: "no table yet", sorts: false)
        }
        let translated = try translated(query, shape)
        let steps = try connection.names(.explanation(of: SQL.fetch(translated).sql), column: 3)
        let read = steps.compactMap { Self.indexName(in: $0) }
        let index = query.model.indexes.first { index in
            read.contains(query.model.indexName(index, on: shape.table))
        }
        let check = translated.isPaged ? [] : ["CHECK THE WHOLE PREDICATE ON EACH ROW"]
        return QueryPlan(
            index: index?.name, summary: (Self.condensed(steps) + check).joined(separator: "; "),
            sorts: steps.contains("USE TEMP B-TREE FOR ORDER BY"))
    }

    /// The translation of `query` for SQLite. The table with `shape` is examined in its present state.
    func translated(_ query: StorageQuery, _ shape: TableShape) throws -> TranslatedQuery {
        TranslatedQuery(query, shape: shape, idGroup: try idGroup(query, shape))
    }

    /// The group of all IDs in the query's table, if the plan depends on it.
    private func idGroup(_ query: StorageQuery, _ shape: TableShape) throws -> IDKeyGroup? {
        guard query.asksForIDOrder else { return nil }
        func key(isLast: Bool) throws -> [UInt8]? {
            try connection.withStatement(.outermostKey(of: shape.table, isLast: isLast)) { statement in
                try statement.step() ? Array(statement.blob(0)) : nil
            }
        }
        guard let first = try key(isLast: false), let last = try key(isLast: true) else { return nil }
        return first.withUnsafeBytes { first in
            last.withUnsafeBytes { last in IDKeyGroup(ofKeysFrom: first, to: last) }
        }
    }

    /// The steps for people: equal steps are counted, because SQLite lists one for each alternative of a condition.
    private static func condensed(_ steps: [String]) -> [String] {
        var counts: [String: Int] = [:]
        var distinct: [String] = []
        for step in steps where step.wholeMatch(of: /INDEX \d+/) == nil {
            if counts.updateValue(counts[step, default: 0] + 1, forKey: step) == nil { distinct.append(step) }
        }
        return distinct.map { step in counts[step].map { $0 > 1 ? "\($0) × \(step)" : step } ?? step }
    }

    /// The name of the index in a step such as `SEARCH City USING INDEX City.byPopulation (population>?)`.
    private static func indexName(in step: String) -> String? {
        for marker in [" USING INDEX ", " USING COVERING INDEX "] {
            guard let start = step.firstRange(of: marker)?.upperBound else { continue }
            return String(step[start...].prefix { $0 != " " })
        }
        return nil
    }
}

extension ModelLayout {
    /// The name of `index` in the file, on the model's table.
    func indexName(_ index: IndexLayout, on table: String) -> String {
        let numbers = Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0.number) })
        return ObjectNames.index(index.name, index.number, on: table, among: numbers)
    }
}
