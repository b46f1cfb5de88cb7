import SeededNumbers
@_spi(Adapters) import TidelogCore

extension SeededGenerator {
    mutating func value(of field: FieldLayout) throws -> FieldValue {
        switch field.type {
        case .id where field.name == "id": .string(once(in: 5) ? "id\(below(40))" : uuid())
        case .id: .string(once(in: 2) ? "id\(below(4))" : longText())
        case .string where field.name == "group": .string(pick(["", "a", "a\u{0}", "ab", "b", "é"]))
        case .string: .string(text())
        case .int where field.name == "order": .int(Int64(below(30)) - 10)
        case .int, .timestamp: .int(int())
        case .double: .double(double())
        case .bool: .bool(once(in: 2))
        case .enumeration: .string(pick(["red", "green", "blue"]))
        case .dateTime: try dateTime()
        default: .list((0..<below(3)).map { _ in .string(pick(["x", "y"])) })
        }
    }

    mutating func record(of model: ModelLayout) throws -> Record {
        var values: [String: FieldValue] = [:]
        for field in model.row.fields where field.schema.isRequired || !once(in: 4) {
            values[field.name] = try value(of: field)
        }
        return Record(model: model.name, values: values)
    }

    /// Batches of new, changed and deleted records. Each record occurs only once.
    mutating func changes(_ oracle: Oracle, count: Int) throws -> [[Change]] {
        var batches: [[Change]] = [[]]
        var seen = Set<[UInt8]>()
        for _ in 0..<count {
            var record = try record(of: oracle.model)
            var isDeleted = false
            if !oracle.records.isEmpty, !once(in: 3) {
                let old = pick(oracle.records)
                isDeleted = once(in: 3)
                for field in oracle.model.row.fields
                where oracle.model.schema.primaryKey.contains(field.name) || isDeleted || !once(in: 4) {
                    record[field.name] = old[field.name]
                }
            }
            let key = try EncodedRow(record, layout: oracle.model).key
            guard seen.insert(key).inserted else { continue }
            if once(in: 30) { batches.append([]) }
            batches[batches.count - 1].append(isDeleted ? .delete(record) : .put(record))
        }
        return batches
    }

    mutating func query(_ oracle: Oracle, _ model: ModelLayout) throws -> StorageQuery {
        let ordered = model.row.fields.filter(\.type.isOrdered)
        var keys: [Sort.Key] = []
        let isDescending = once(in: 2)
        let sorted =
            once(in: 3) ? [] : once(in: 2) && !model.indexes.isEmpty ? pick(model.indexes).fields : [pick(ordered)]
        for field in sorted {
            keys.append(Sort.Key(field.name, isDescending: once(in: 8) ? !isDescending : isDescending))
        }
        if once(in: 6) { keys.append(Sort.Key(pick(ordered).name, isDescending: once(in: 2))) }
        if once(in: 6) { keys = model.keyFields.map { Sort.Key($0.name, isDescending: isDescending) } }
        let page = Page(offset: once(in: 3) ? below(12) : 0, limit: once(in: 2) ? below(20) : nil)
        var afterKey: [UInt8]?
        if once(in: 3), let record = oracle.records.randomElement(using: &self) {
            keys = []
            afterKey = try EncodedRow(record, layout: model).key
        }
        return try StorageQuery(
            model: model, predicate: try predicate(oracle, depth: 0), sort: Sort(keys), page: page, afterKey: afterKey)
    }

    private mutating func predicate(_ oracle: Oracle, depth: Int) throws -> QueryPredicate {
        switch depth < 2 ? below(9) : 7 {
        case 0: .all
        case 8: try alternatives(oracle)
        case 1...3: .and(try (0..<(1 + below(3))).map { _ in try predicate(oracle, depth: depth + 1) })
        case 4: .or(try (0..<below(3)).map { _ in try predicate(oracle, depth: depth + 1) })
        case 5: .not(try predicate(oracle, depth: depth + 1))
        case 6: try keyPredicate(oracle)
        default: try comparison(oracle)
        }
    }

    /// Alternatives with values that some records have, in one field or in several. A plan may answer each alternative with its
    /// own range.
    private mutating func alternatives(_ oracle: Oracle) throws -> QueryPredicate {
        let field = pick(oracle.model.row.fields)
        return .or(
            try (0..<(1 + below(5))).map { _ in
                if once(in: 6) { return try comparison(oracle) }
                if once(in: 4) { return try keyPredicate(oracle) }
                let name = once(in: 3) ? pick(oracle.model.row.fields).name : field.name
                return .field(name, .equal(oracle.records.randomElement(using: &self)?[name]))
            })
    }

    /// A predicate that some record passes, with the first fields or with all fields of its key.
    private mutating func keyPredicate(_ oracle: Oracle) throws -> QueryPredicate {
        guard let record = oracle.records.randomElement(using: &self) else { return .all }
        let names = oracle.model.schema.primaryKey.prefix(1 + below(oracle.model.keyFields.count))
        return .and(names.map { .field($0, .equal(record[$0])) })
    }

    private mutating func comparison(_ oracle: Oracle) throws -> QueryPredicate {
        let field = pick(oracle.model.row.fields)
        func constant(_ generator: inout SeededGenerator) throws -> FieldValue {
            // Most constants are values that some row has, so that rows pass.
            if !generator.once(in: 4), let value = oracle.records.randomElement(using: &generator)?[field.name] {
                return value
            }
            switch field.type {
            case .int, .timestamp: return generator.once(in: 2) ? .double(generator.double()) : .int(generator.int())
            case .double: return generator.once(in: 2) ? .int(generator.int()) : .double(generator.double())
            default: return try generator.value(of: field)
            }
        }
        if once(in: 8) { return .field(field.name, once(in: 2) ? .equal(nil) : .notEqual(nil)) }
        let value = try constant(&self)
        guard field.type.isOrdered else { return .field(field.name, once(in: 2) ? .equal(value) : .notEqual(value)) }
        if field.type.isText, case .string(let text) = value, once(in: 3) {
            let part = String(
                decoding: Array(text.unicodeScalars.prefix(below(4))).map(String.init).joined().utf8, as: UTF8.self)
            return .field(field.name, pick([.beginsWith(part), .contains(.string(part)), .beginsWith(text)]))
        }
        let second = try constant(&self)
        return .field(
            field.name,
            pick([
                .equal(value), .equal(value), .equal(value), .notEqual(value), .less(value), .lessOrEqual(value),
                .greater(value), .greaterOrEqual(value), .between(value, second),
            ]))
    }
}
