@_spi(Adapters) internal import TidelogCore

/// One random schema with its rows, in every candidate and in the model.
struct FuzzRound {
    var random: SeededGenerator
    let schema: Schema
    private let values: ValueGenerator
    private(set) var subjects: [(name: String, subject: Subject, directory: TemporaryDirectory)] = []
    /// The records that the adapters should have, by model and encoded key.
    private(set) var model: [String: [[UInt8]: Record]] = [:]
    /// The auxiliary entries that the adapters should have, by table and key.
    var auxiliary: [[[UInt8]: [UInt8]]] = Subject.auxiliaryTables.map { _ in [:] }

    init(_ candidates: [DifferentialFuzzer.Candidate], seed: UInt64, storesZeroCharacters: Bool) throws {
        random = SeededGenerator(seed: seed)
        let plain = SchemaGenerator.schema(using: &random)
        schema = SchemaGenerator.addingRelations(to: plain, using: &random)
        values = ValueGenerator(
            schema: schema, ids: random.pick(ValueGenerator.IDs.allCases), storesZeroCharacters: storesZeroCharacters)
        for candidate in candidates {
            let directory = try TemporaryDirectory()
            let subject = try Subject(directory: directory.path, schema: schema, makeAdapter: candidate.make)
            subjects.append((candidate.name, subject, directory))
            try subject.prepare()
        }
    }

    /// Closes the adapters and removes their files.
    func close() {
        for candidate in subjects {
            try? candidate.subject.close()
            candidate.directory.remove()
        }
    }

    mutating func run(queryCount: Int, _ summary: inout DifferentialFuzzer.Summary) throws {
        for number in 0..<queryCount {
            if number % 25 == 0 { summary.changes += try change() }
            if random.oneIn(10) { try askAuxiliary() }
            summary.rows += try random.oneIn(2) ? ask() : random.oneIn(2) ? askRelated() : follow()
            summary.queries += 1
        }
    }

    // MARK: Changes

    /// Saves and deletes random records in one commit. Some commits are rolled back.
    private mutating func change() throws -> Int {
        var saved: [Record] = []
        var deleted: [(model: String, id: RecordID)] = []
        var next = model
        for schema in schema.models {
            guard let layout = subjects.first?.subject.model(schema.name) else { return 0 }
            let existing = next[schema.name, default: [:]]
            var touched: Set<[UInt8]> = []
            for (key, record) in existing.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where random.oneIn(8)
            {
                touched.insert(key)
                if random.oneIn(2) {
                    deleted.append((schema.name, RecordID(schema.primaryKey.compactMap { record[$0] })))
                    next[schema.name]?[key] = nil
                } else {
                    let changed = changed(record, schema)
                    saved.append(changed)
                    next[schema.name]?[key] = changed.asStored
                }
            }
            for _ in 0..<random.int(5...40) {
                var record = record(schema)
                refer(&record, schema, among: next)
                guard let row = try? EncodedRow(record, layout: layout), touched.insert(row.key).inserted else {
                    continue
                }
                saved.append(record)
                next[schema.name, default: [:]][row.key] = record.asStored
            }
        }
        let entries = auxiliaryChanges()
        let isRolledBack = random.oneIn(6)
        for candidate in subjects {
            try candidate.subject.transaction { scope in
                try scope.save(saved)
                for (model, deleted) in Dictionary(grouping: deleted, by: \.model) {
                    try scope.delete(model, deleted.map(\.id))
                }
                try scope.apply(entries)
                return isRolledBack ? nil : candidate.subject.checkpoint(candidate.subject.nextSequence().value)
            }
        }
        if !isRolledBack {
            model = next
            for entry in entries { auxiliary[entry.table][entry.key] = entry.value }
        }
        return saved.count + deleted.count
    }

    private mutating func record(_ schema: ModelSchema) -> Record {
        var record = Record(model: schema.name, values: [:])
        for field in schema.fields { record[field.name] = values.value(field, using: &random) }
        return record
    }

    /// The record with some fields changed. Its key stays the same.
    private mutating func changed(_ record: Record, _ schema: ModelSchema) -> Record {
        var record = record
        for field in schema.fields where !schema.primaryKey.contains(field.name) && random.oneIn(3) {
            record[field.name] = values.value(field, using: &random)
        }
        return record
    }

    // MARK: Queries

    /// Runs one random query in all candidates. Returns the number of rows.
    private mutating func ask() throws -> Int {
        let schema = random.pick(schema.models)
        let generator = generator(of: schema)
        let predicate = generator.predicate(using: &random)
        let sort = generator.sort(using: &random)
        let page = generator.page(using: &random)
        let rows = model[schema.name, default: [:]]
        let goesOn = sort.keys.isEmpty && random.oneIn(3)
        let afterKey =
            goesOn ? rows.keys.sorted { $0.lexicographicallyPrecedes($1) }.randomElement(using: &random) : nil
        let expected = answer(rows, predicate, sort: sort, page: page, after: afterKey)
        for candidate in subjects {
            let hint =
                "\(candidate.name): \(rendering(schema.name, predicate, sort: sort, page: page)), after "
                + (afterKey.map { "\($0)" } ?? "nothing")
            let query = try StorageQuery(
                model: candidate.subject.model(schema.name), predicate: predicate, sort: sort, page: page,
                afterKey: afterKey)
            try candidate.subject.read { scope in
                try expect(try scope.records(query).map(\.rendering), expected, hint)
                try expect(try scope.reader.count(query), expected.count, "The count of \(hint)")
                _ = try scope.reader.plan(query)
            }
        }
        return expected.count
    }

    func generator(of model: ModelSchema) -> QueryGenerator {
        QueryGenerator(model: model, values: values, schema: schema)
    }

    /// A description of a query, with its schema.
    func rendering(_ model: String, _ predicate: QueryPredicate, sort: Sort, page: Page) -> String {
        "\(model) where \(predicate.rendering) sorted by "
            + "\(sort.keys.map { $0.field + ($0.isDescending ? " descending" : "") }), offset \(page.offset), limit "
            + "\(page.limit.map { "\($0)" } ?? "none"); schema: \(schema)"
    }

    /// The renderings of the records in the result of the query, according to the model.
    private func answer(
        _ rows: [[UInt8]: Record], _ predicate: QueryPredicate, sort: Sort, page: Page, after afterKey: [UInt8]?
    ) -> [String] {
        rows.filter { key, record in
            if let afterKey, !afterKey.lexicographicallyPrecedes(key) { return false }
            return ReferenceEvaluator.evaluate(predicate, record)
        }.sorted { left, right in
            for key in sort.keys {
                let order = ReferenceEvaluator.order(left.value[key.field], right.value[key.field])
                if order != 0 { return key.isDescending ? order > 0 : order < 0 }
            }
            return left.key.lexicographicallyPrecedes(right.key)
        }.dropFirst(page.offset).prefix(page.limit ?? .max).map(\.value.rendering)
    }
}

/// Auxiliary entries under random keys, such as tombstones, server states and notes.
extension FuzzRound {
    /// A change of an entry of an auxiliary table.
    struct AuxiliaryChange {
        /// The table's index among the subject's tables.
        let table: Int
        let key: [UInt8]
        /// The value to put, or `nil` to delete the entry.
        let value: [UInt8]?
    }

    /// Makes random changes of the tables. Several changes may concern the same entry.
    mutating func auxiliaryChanges() -> [AuxiliaryChange] {
        (0..<random.int(0...12)).map { _ in
            let table = random.int(0...(auxiliary.count - 1))
            let value = (0..<(random.oneIn(20) ? 6_000 : random.int(0...40))).map { _ in UInt8(random.int(0...255)) }
            return AuxiliaryChange(table: table, key: auxiliaryKey(), value: random.oneIn(4) ? nil : value)
        }
    }

    /// Makes a short key, so that keys often repeat or are prefixes of other keys.
    private mutating func auxiliaryKey() -> [UInt8] {
        (0..<random.int(1...4)).map { _ in random.pick([0, 1, 97, 98, 254, 255]) }
    }

    /// Compares an entry, and a part of a table in order, with the model's entries.
    mutating func askAuxiliary() throws {
        let index = random.int(0...(auxiliary.count - 1))
        let table = Subject.auxiliaryTables[index]
        let key = auxiliaryKey()
        let after = random.oneIn(3) ? nil : auxiliaryKey()
        let limit = random.oneIn(2) ? Int.max : random.int(1...5)
        let expected = auxiliary[index].sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .filter { entry in after.map { $0.lexicographicallyPrecedes(entry.key) } ?? true }
            .prefix(limit).map { [$0.key, $0.value] }
        for candidate in subjects {
            let hint = "\(candidate.name): the auxiliary table \(table.name)"
            try candidate.subject.read { scope in
                let found = try key.withUnsafeBytes { try scope.reader.auxiliaryValue($0, in: table).map { Array($0) } }
                try expect(found, auxiliary[index][key], "\(hint), key \(key)")
                try expect(
                    try scope.auxiliaryEntries(after: after, in: table, limit: limit), expected,
                    "\(hint) after \(after.map { "\($0)" } ?? "nothing"), limit \(limit)")
            }
        }
    }
}

extension WriteScope {
    /// Applies the changes in their order.
    func apply(_ changes: [FuzzRound.AuxiliaryChange]) throws {
        for change in changes {
            let table = Subject.auxiliaryTables[change.table]
            try change.key.withUnsafeBytes { key in
                guard let value = change.value else { return try transaction.deleteAuxiliary(key, in: table) }
                try value.withUnsafeBytes { try transaction.putAuxiliary(key, $0, in: table) }
            }
        }
    }
}
