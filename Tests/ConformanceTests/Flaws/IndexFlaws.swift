@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore

/// An adapter that does not keep its own indexes up to date.
///
/// A stale entry is an old version of a row that an index still has. A query of an indexed field uses the stale entry.
final class StaleIndex: Flaw, @unchecked Sendable {
    enum Neglect { case deletes, updates, laterIndexes }

    private let neglect: Neglect
    /// The old versions of deleted or changed rows that the indexes still have, by model and key.
    private var stale: [String: [[UInt8]: CopiedRow]] = [:]
    /// The keys of the rows that are missing in an index that was added later, by model and field.
    private var unfilled: [String: [String: Set<[UInt8]>]] = [:]
    private var indexes: [String: Set<String>] = [:]

    init(neglecting neglect: Neglect) { self.neglect = neglect }

    override func apply(
        _ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout, _ transaction: BrokenTransaction
    ) throws {
        for change in changes {
            let before = try transaction.inner.get(change.key, in: model).map { CopiedRow($0) }
            let isNeglected = neglect == .deletes ? change.row == nil : neglect == .updates && change.row != nil
            stale[model.name, default: [:]][Array(change.key)] = isNeglected ? before : nil
        }
        try super.apply(changes, to: model, transaction)
    }

    override func prepare(_ schema: SchemaLayout, _ tables: [AuxiliaryTable], _ transaction: BrokenTransaction) throws {
        try super.prepare(schema, tables, transaction)
        guard neglect == .laterIndexes else { return }
        for model in schema.models {
            var keys: Set<[UInt8]> = []
            try transaction.inner.fetch(try StorageQuery(model: model)) { stored in
                keys.insert(Array(stored.key))
                return true
            }
            for index in model.indexes where indexes[model.name, default: []].insert(index.name).inserted {
                unfilled[model.name, default: [:]][index.fields[0].name] = keys
            }
        }
    }

    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        let names = Set(query.predicate.conjuncts.compactMap { if case .field(let name, _) = $0 { name } else { nil } })
        let indexed = query.model.indexes.compactMap(\.fields.first?.name).filter { names.contains($0) }
        guard let field = indexed.first else { return try reader.fetch(query, body) }
        var rows: [[UInt8]: CopiedRow] = [:]
        try reader.fetch(try StorageQuery(model: query.model)) { stored in
            rows[Array(stored.key)] = CopiedRow(stored)
            return true
        }
        for key in unfilled[query.model.name]?[field] ?? [] { rows[key] = nil }
        var found: [CopiedRow] = []
        for (key, row) in stale[query.model.name] ?? [:] where rows[key] == nil || neglect == .updates {
            if try row.withRow({ try query.filter.evaluate($0.row) }) { found.append(rows[key] ?? row) }
        }
        for row in rows.values where try row.withRow({ try query.filter.evaluate($0.row) }) { found.append(row) }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for row in found.dropFirst(query.page.offset).prefix(query.page.limit ?? .max) {
            guard try row.withRow(body) else { return }
        }
    }
}

/// Finds only rows whose indexed text is short enough for an index key.
final class LongKeysNotIndexed: Flaw, @unchecked Sendable {
    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        let isIndexed = query.predicate != .all && !query.model.indexes.isEmpty
        try answer(
            query, reader,
            where: isIndexed
                ? { record in
                    let fits = record.values.values.allSatisfy { value in
                        if case .string(let text) = value { text.utf8.count <= 500 } else { true }
                    }
                    return fits && ReferenceEvaluator.evaluate(query.predicate, record)
                } : nil, body: body)
    }
}
