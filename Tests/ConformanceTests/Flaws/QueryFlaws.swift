@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore

/// Evaluates a different predicate than the query asks for.
final class RewrittenPredicate: Flaw, @unchecked Sendable {
    private let rewrite: (QueryPredicate) -> QueryPredicate

    /// - Parameter rewrite: Returns the replacement of a node. The members of the node are already rewritten.
    init(_ rewrite: @escaping (QueryPredicate) -> QueryPredicate) { self.rewrite = rewrite }

    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        try reader.fetch(try query.with(predicate: rewritten(query.predicate)), body)
    }

    private func rewritten(_ predicate: QueryPredicate) -> QueryPredicate {
        switch predicate {
        case .and(let members): rewrite(.and(members.map(rewritten)))
        case .or(let members): rewrite(.or(members.map(rewritten)))
        case .not(let member): rewrite(.not(rewritten(member)))
        case .all, .field, .related: rewrite(predicate)
        }
    }
}

/// Compares and sorts changed values instead of the stored values.
final class MappedValues: Flaw, @unchecked Sendable {
    private let map: (FieldValue) -> FieldValue

    init(_ map: @escaping (FieldValue) -> FieldValue) { self.map = map }

    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        let predicate = mapped(query.predicate)
        try answer(
            query, reader, where: { ReferenceEvaluator.evaluate(predicate, self.mapped($0)) },
            order: { ReferenceEvaluator.order($0[$2].map(self.map), $1[$2].map(self.map)) }, body: body)
    }

    private func mapped(_ record: Record) -> Record {
        Record(model: record.model, values: record.values.mapValues(map))
    }

    private func mapped(_ predicate: QueryPredicate) -> QueryPredicate {
        switch predicate {
        case .all: .all
        case .and(let members): .and(members.map(mapped))
        case .or(let members): .or(members.map(mapped))
        case .not(let member): .not(mapped(member))
        case .field(let name, let comparison): .field(name, mapped(comparison))
        case .related: predicate
        }
    }

    private func mapped(_ comparison: QueryPredicate.Comparison) -> QueryPredicate.Comparison {
        switch comparison {
        case .equal(let value): .equal(value.map(map))
        case .notEqual(let value): .notEqual(value.map(map))
        case .less(let value): .less(map(value))
        case .lessOrEqual(let value): .lessOrEqual(map(value))
        case .greater(let value): .greater(map(value))
        case .greaterOrEqual(let value): .greaterOrEqual(map(value))
        case .between(let lower, let upper): .between(map(lower), map(upper))
        case .beginsWith(let prefix):
            if case .string(let text) = map(.string(prefix)) { .beginsWith(text) } else { comparison }
        case .endsWith(let suffix):
            if case .string(let text) = map(.string(suffix)) { .endsWith(text) } else { comparison }
        case .ignoringCase(let kind, let other):
            if case .string(let text) = map(.string(other)) { .ignoringCase(kind, text) } else { comparison }
        case .contains(let value): .contains(map(value))
        case .notContains(let value): .notContains(map(value))
        }
    }
}

/// Sorts missing values last.
final class MissingLast: Flaw, @unchecked Sendable {
    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        try answer(
            query, reader,
            order: { left, right, field in
                let (left, right) = (left[field], right[field])
                if left == nil || right == nil { return (left == nil ? 1 : 0) - (right == nil ? 1 : 0) }
                return ReferenceEvaluator.order(left, right)
            }, body: body)
    }
}

/// Reverses the order of ties in every second query.
final class UnstableTies: Flaw, @unchecked Sendable {
    private var queries = 0

    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        queries += 1
        try answer(query, reader, tiesDescend: queries % 2 == 0 && !query.sort.isEmpty, body: body)
    }
}

/// Reverses the order of ties if the last sort key descends.
final class DescendingTies: Flaw, @unchecked Sendable {
    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        try answer(query, reader, tiesDescend: query.sort.last?.isDescending ?? false, body: body)
    }
}

/// Takes the page from the whole table and then filters the page.
final class LimitBeforeFilter: Flaw, @unchecked Sendable {
    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        try reader.fetch(try query.with(predicate: .all)) { row in
            try query.filter.evaluate(row.row) ? body(row) : true
        }
    }
}

/// Counts all rows that match, and ignores the page.
final class CountIgnoresPage: Flaw, @unchecked Sendable {
    override func count(_ query: StorageQuery, _ reader: any AdapterReader) throws -> Int {
        try super.count(try query.with(page: .all), reader)
    }
}

/// Begins a continued query with the row of `afterKey`, instead of the row after it.
final class AfterKeyIncluded: Flaw, @unchecked Sendable {
    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        guard let afterKey = query.afterKey else { return try reader.fetch(query, body) }
        let whole = try query.with(page: .all, afterKey: .some(nil))
        var (skip, left) = (query.page.offset, query.page.limit ?? .max)
        guard left > 0 else { return }
        try reader.fetch(whole) { row in
            if row.key.lexicographicallyPrecedes(afterKey) { return true }
            if skip > 0 {
                skip -= 1
                return true
            }
            left -= 1
            return try body(row) && left > 0
        }
    }
}

extension StorageQuery {
    /// The query with some parts replaced.
    func with(predicate: QueryPredicate? = nil, page: Page? = nil, afterKey: [UInt8]?? = nil) throws -> StorageQuery {
        try StorageQuery(
            model: model, predicate: predicate ?? self.predicate,
            sort: Sort(sort.map { Sort.Key($0.field.name, isDescending: $0.isDescending) }), page: page ?? self.page,
            afterKey: afterKey ?? self.afterKey)
    }
}

extension Flaw {
    typealias Order = (_ left: Record, _ right: Record, _ field: String) -> Int

    /// Answers `query` by reading all rows, with a different filter or order.
    func answer(
        _ query: StorageQuery, _ reader: any AdapterReader, where isMember: ((Record) -> Bool)? = nil,
        tiesDescend: Bool = false,
        order: Order = { ReferenceEvaluator.order($0[$2], $1[$2]) },
        body: (StoredRow) throws -> Bool
    ) throws {
        var found: [(record: Record, row: CopiedRow)] = []
        try reader.fetch(try StorageQuery(model: query.model, afterKey: query.afterKey)) { stored in
            let record = try Record(stored.row, layout: query.model)
            if try isMember?(record) ?? query.filter.evaluate(stored.row) { found.append((record, CopiedRow(stored))) }
            return true
        }
        let sorted = found.enumerated().sorted { left, right in
            for key in query.sort {
                let order = order(left.element.record, right.element.record, key.field.name)
                if order != 0 { return key.isDescending ? order > 0 : order < 0 }
            }
            return tiesDescend ? left.offset > right.offset : left.offset < right.offset
        }
        for match in sorted.dropFirst(query.page.offset).prefix(query.page.limit ?? .max) {
            guard try match.element.row.withRow(body) else { return }
        }
    }
}

/// A copy of a stored row in its own memory.
struct CopiedRow {
    let key: [UInt8]
    let bytes: [UInt8]
    let sequence: SequenceNumber

    init(_ stored: StoredRow) {
        key = Array(stored.key)
        bytes = Array(stored.row.bytes)
        sequence = stored.sequence
    }

    func withRow<Result>(_ body: (StoredRow) throws -> Result) throws -> Result {
        try key.withUnsafeBytes { key in
            try bytes.withUnsafeBytes { bytes in
                try body(StoredRow(key: key, sequence: sequence, row: try RowView(bytes)))
            }
        }
    }
}

/// Returns every row in the same memory, even while the caller still uses another row.
final class OnePlaceForRows: Flaw, @unchecked Sendable {
    private let place = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    deinit { place.deallocate() }

    override func fetch(
        _ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool
    ) throws {
        try reader.fetch(query) { row in
            place.copyBytes(from: row.row.bytes)
            let bytes = UnsafeRawBufferPointer(rebasing: place[..<row.row.bytes.count])
            return try body(StoredRow(key: row.key, sequence: row.sequence, row: RowView(bytes)))
        }
    }
}
