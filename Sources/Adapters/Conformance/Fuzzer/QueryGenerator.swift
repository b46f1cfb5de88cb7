@_spi(Adapters) internal import TidelogCore

/// Makes random predicates, orders and pages that fit a model.
struct QueryGenerator {
    let model: ModelSchema
    let values: ValueGenerator
    let schema: Schema

    func predicate(using random: inout SeededGenerator, depth: Int = 0) -> QueryPredicate {
        if depth < 3 && random.oneIn(2) {
            if random.oneIn(12) { return alternatives(using: &random, depth: depth) }
            switch random.int(0...9) {
            case 0...3: return .and(members(using: &random, depth: depth))
            case 4...6: return .or(members(using: &random, depth: depth))
            case 7...8: return .not(predicate(using: &random, depth: depth + 1))
            default: return .all
            }
        }
        // The first fields of indexes and keys are used more often.
        let planned = model.indexes.flatMap(\.fields) + model.primaryKey
        let name = random.oneIn(2) ? random.pick(planned) : random.pick(model.fields).name
        guard let field = model.field(named: name) else { return .all }
        return comparison(of: field, using: &random)
    }

    /// A comparison of `field`, or of a field of the embedded value in it.
    private func comparison(of field: FieldSchema, using random: inout SeededGenerator) -> QueryPredicate {
        switch field.type {
        case .embedded(let type), .list(.embedded(let type), _):
            guard !random.oneIn(3), let inner = schema.embeddedTypes.first(where: { $0.name == type })?.fields else {
                break
            }
            let members = (0..<random.int(1...2)).map { _ in comparison(of: random.pick(inner), using: &random) }
            return .related(
                field.name, members.count == 1 ? members[0] : random.oneIn(2) ? .and(members) : .or(members))
        default: break
        }
        if random.oneIn(8), let part = part(of: field, using: &random) { return part }
        return .field(field.name, comparison(field.type, using: &random))
    }

    /// A comparison of the size or the text of the value in `field`, or `nil` if it has none.
    private func part(of field: FieldSchema, using random: inout SeededGenerator) -> QueryPredicate? {
        var hasText = false
        switch field.type {
        case .date, .time, .dateTime: hasText = true
        case .id, .string, .enumeration: break
        case .list(let element, _):
            if case .embedded = element { return nil }
        default: return nil
        }
        if hasText, random.oneIn(2) {
            let text = values.text(using: &random)
            let digits = "\(random.int(0...30))"
            let comparison = random.pick([
                QueryPredicate.Comparison.beginsWith(digits), .contains(.string(digits)), .notContains(.string(text)),
                .less(.string(digits)), .greaterOrEqual(.string(digits)), .equal(.string(text)),
                .notEqual(.string(text)), .endsWith("Z"), .between("1", .string(digits)),
            ])
            return .related(field.name, .field("text", comparison))
        }
        let size = FieldValue.int(Int64(random.int(0...12)))
        let comparison = random.pick([
            QueryPredicate.Comparison.equal(size), .notEqual(size), .less(size), .greaterOrEqual(size),
            .between(.int(Int64(random.int(0...6))), size),
        ])
        return .related(field.name, .field("size", comparison))
    }

    /// A predicate that follows at least one relation of the model.
    func relatedPredicate(using random: inout SeededGenerator, depth: Int = 0) -> QueryPredicate {
        if depth < 3 && random.oneIn(2) {
            var members = (0..<random.int(0...2)).map { _ in predicate(using: &random, depth: depth + 1) }
            if random.oneIn(2) { members.append(relatedPredicate(using: &random, depth: depth + 1)) }
            members.append(relatedPredicate(using: &random, depth: depth + 1))
            members.shuffle(using: &random)
            switch random.int(0...3) {
            case 0, 1: return .and(members)
            case 2: return .or(members)
            default: return .not(relatedPredicate(using: &random, depth: depth + 1))
            }
        }
        guard let association = model.associations.randomElement(using: &random),
            let target = schema.models.first(where: { $0.name == association.target })
        else { return predicate(using: &random, depth: depth) }
        let other = QueryGenerator(model: target, values: values, schema: schema)
        return .related(association.name, other.predicate(using: &random, depth: random.int(1...3)))
    }

    /// Makes many alternatives. Most of them compare the same field with a value, and some of these have a further condition.
    private func alternatives(using random: inout SeededGenerator, depth: Int) -> QueryPredicate {
        guard let field = model.field(named: random.pick(model.indexes.flatMap(\.fields) + model.primaryKey)) else {
            return .all
        }
        return .or(
            (0..<random.int(8...120)).map { _ in
                if random.oneIn(20) { return predicate(using: &random, depth: depth + 1) }
                let equality = QueryPredicate.field(field.name, .equal(values.constant(field.type, using: &random)))
                guard random.oneIn(3) else { return equality }
                var parts = [predicate(using: &random, depth: depth + 1), equality]
                parts.shuffle(using: &random)
                return .and(parts)
            })
    }

    private func members(using random: inout SeededGenerator, depth: Int) -> [QueryPredicate] {
        (0..<random.int(0...3)).map { _ in predicate(using: &random, depth: depth + 1) }
    }

    private func comparison(_ type: FieldType, using random: inout SeededGenerator) -> QueryPredicate.Comparison {
        if random.oneIn(8) { return random.oneIn(2) ? .equal(nil) : .notEqual(nil) }
        if case .list(let element, _) = type, random.oneIn(2) {
            let part =
                element.isOrdered ? values.constant(element, using: &random) : values.value(element, using: &random)
            return random.oneIn(2) ? .contains(part) : .notContains(part)
        }
        let constant = values.constant(type, using: &random)
        guard type.isOrdered else { return random.oneIn(2) ? .equal(constant) : .notEqual(constant) }
        if type.isText && random.oneIn(3) {
            let text = values.text(using: &random)
            let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(random.int(0...3))))
            let suffix = String(String.UnicodeScalarView(text.unicodeScalars.suffix(random.int(0...3))))
            let folded = QueryPredicate.Comparison.ignoringCase(
                random.pick(QueryPredicate.TextComparison.allCases),
                random.pick([text, part, suffix, part.uppercased()]))
            return random.pick([
                .beginsWith(part), .endsWith(suffix), .contains(.string(part)), .notContains(.string(part)), folded,
            ])
        }
        switch random.int(0...7) {
        case 0, 1: return .equal(constant)
        case 2: return .notEqual(constant)
        case 3: return .less(constant)
        case 4: return .lessOrEqual(constant)
        case 5: return .greater(constant)
        case 6: return .greaterOrEqual(constant)
        default: return .between(constant, values.constant(type, using: &random))
        }
    }

    func sort(using random: inout SeededGenerator) -> Sort {
        if random.oneIn(3) { return .byKey }
        let isDescending = random.oneIn(2)
        if let index = model.indexes.randomElement(using: &random), random.oneIn(2) {
            return Sort(index.fields.prefix(random.int(1...3)).map { Sort.Key($0, isDescending: isDescending) })
        }
        let ordered = model.fields.filter(\.type.isOrdered).map(\.name)
        return Sort(
            ordered.shuffled(using: &random).prefix(random.int(1...3)).map {
                Sort.Key($0, isDescending: random.oneIn(2))
            })
    }

    func page(using random: inout SeededGenerator) -> Page {
        if random.oneIn(2) { return .all }
        return Page(offset: random.oneIn(2) ? 0 : random.int(0...20), limit: random.oneIn(4) ? nil : random.int(0...20))
    }
}
