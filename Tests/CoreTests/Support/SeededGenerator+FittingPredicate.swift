import SeededNumbers
import TidelogCore

extension SeededGenerator {
    /// A predicate that fits `model`. Its constants are often values of `records`, so that the predicate is often true.
    mutating func predicate(
        for model: ModelSchema, in schema: Schema, records: [Record], depth: Int = 0
    ) throws -> QueryPredicate {
        if depth < 3, once(in: 10) { return try alternatives(for: model, in: schema, records: records, depth: depth) }
        switch below(depth > 3 ? 6 : 10) {
        case 0: return .all
        case 1...5:
            let field = pick(model.fields)
            if once(in: 6), let part = part(of: field, records) { return part }
            return .field(field.name, try comparison(for: field, in: schema, records: records))
        case 6, 7:
            let members = try (0..<below(4)).map { _ in
                try predicate(for: model, in: schema, records: records, depth: depth + 1)
            }
            return once(in: 2) ? .and(members) : .or(members)
        default: return .not(try predicate(for: model, in: schema, records: records, depth: depth + 1))
        }
    }

    /// A comparison of the size or the text of the value in `field`, or `nil` if its values have neither.
    private mutating func part(of field: FieldSchema, _ records: [Record]) -> QueryPredicate? {
        var isTemporal = false
        switch field.type {
        case .date, .time, .dateTime: isTemporal = true
        case .list(.embedded, _): return nil
        case .list, .id, .string, .enumeration: break
        default: return nil
        }
        if isTemporal, once(in: 2) {
            let digits = FieldValue.string("\(below(2_100))")
            let comparison = pick([
                QueryPredicate.Comparison.beginsWith("\(below(3))"), .contains(.string("\(below(10))")),
                .notContains(.string("Z")), .less(digits), .greaterOrEqual(digits), .notEqual(digits),
                .between(digits, "2"), .endsWith("Z"),
            ])
            return .related(field.name, .field("text", comparison))
        }
        let size = FieldValue.int(Int64(below(12)))
        let comparison = pick([
            QueryPredicate.Comparison.equal(size), .notEqual(size), .less(size), .lessOrEqual(size), .greater(size),
            .greaterOrEqual(size), .between(2, size),
        ])
        return .related(field.name, .field("size", comparison))
    }

    /// Many alternatives. Most of them compare one field with a value, and some of these have a further condition.
    private mutating func alternatives(
        for model: ModelSchema, in schema: Schema, records: [Record], depth: Int
    ) throws -> QueryPredicate {
        let field = pick(model.fields)
        let held = records.compactMap { $0[field.name] }
        return .or(
            try (0..<8 + below(40)).map { _ in
                if once(in: 20) { return try predicate(for: model, in: schema, records: records, depth: depth + 1) }
                let value = held.isEmpty || once(in: 2) ? try value(of: field.type, in: schema) : pick(held)
                let equality = QueryPredicate.field(
                    field.name, .equal(once(in: 4) ? translated(value, for: field.type) : value))
                guard once(in: 3) else { return equality }
                let other = try predicate(for: model, in: schema, records: records, depth: depth + 1)
                return .and(once(in: 2) ? [equality, other] : [other, equality])
            })
    }

    private mutating func comparison(
        for field: FieldSchema, in schema: Schema, records: [Record]
    ) throws -> QueryPredicate.Comparison {
        let held = records.compactMap { $0[field.name] }
        let constant = { (generator: inout SeededGenerator) throws -> FieldValue in
            let value =
                held.isEmpty || generator.once(in: 3)
                ? try generator.value(of: field.type, in: schema) : generator.pick(held)
            return generator.once(in: 3) ? generator.translated(value, for: field.type) : value
        }
        switch field.type {
        case .list(let element, _) where once(in: 2):
            let elements: [FieldValue] = held.flatMap { value -> [FieldValue] in
                if case .list(let elements) = value { elements.compactMap { $0 } } else { [] }
            }
            let value = elements.isEmpty || once(in: 3) ? try value(of: element, in: schema) : pick(elements)
            return once(in: 2) ? .contains(value) : .notContains(value)
        case .id, .string, .enumeration:
            if once(in: 2), case .string(let text) = try constant(&self) {
                let scalars = Array(text.unicodeScalars)
                let start = below(scalars.count + 1)
                let part = String(String.UnicodeScalarView(scalars[start..<(start + below(scalars.count - start + 1))]))
                if once(in: 3) {
                    return .beginsWith(once(in: 2) ? part : String(String.UnicodeScalarView(scalars[..<start])))
                }
                return once(in: 2) ? .contains(.string(part)) : .notContains(.string(part))
            }
        default: break
        }
        switch below(field.type.isOrdered ? 9 : 4) {
        case 0: return .equal(nil)
        case 1: return .notEqual(nil)
        case 2: return .equal(try constant(&self))
        case 3: return .notEqual(try constant(&self))
        case 4: return .less(try constant(&self))
        case 5: return .lessOrEqual(try constant(&self))
        case 6: return .greater(try constant(&self))
        case 7: return .greaterOrEqual(try constant(&self))
        default: return .between(try constant(&self), try constant(&self))
        }
    }

    /// The same value, or a near one, in another form that fits `type`: a floating-point number for a whole number, a
    /// whole number for a floating-point number, or a text for a temporal.
    private func translated(_ value: FieldValue, for type: FieldType) -> FieldValue {
        switch (type, value) {
        case (.int, .int(let number)), (.timestamp, .int(let number)): .double(Double(number))
        case (.double, .double(let number)): Int64(exactly: number.rounded()).map { .int($0) } ?? value
        case (_, .date(let date)): .string(date.text)
        case (_, .time(let time)): .string(time.text)
        case (_, .dateTime(let dateTime)): .string(dateTime.text)
        default: value
        }
    }
}
