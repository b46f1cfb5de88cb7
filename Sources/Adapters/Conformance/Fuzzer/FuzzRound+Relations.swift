@_spi(Adapters) internal import TidelogCore

/// Queries that follow relations, executed in the same way as by a store.
extension FuzzRound {
    /// Makes the references of `record` refer to existing records in most cases.
    mutating func refer(_ record: inout Record, _ schema: ModelSchema, among records: [String: [[UInt8]: Record]]) {
        for association in schema.associations where association.kind == .belongsTo && !random.oneIn(4) {
            guard let key = self.schema.models.first(where: { $0.name == association.target })?.primaryKey,
                let target = records[association.target]?.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
                    .randomElement(using: &random)?.value
            else { continue }
            for (field, keyField) in zip(association.fields, key) { record[field] = target[keyField] }
        }
    }

    /// Queries the records of a model by a predicate on related records in all candidates. Returns the number of records.
    mutating func askRelated() throws -> Int {
        let schema = random.pick(schema.models)
        let generator = generator(of: schema)
        let predicate = generator.relatedPredicate(using: &random)
        let sort = generator.sort(using: &random)
        let plain = RelatedModel(schema: self.schema, records: model)
        let (page, anchor) = self.page(of: generator, after: plain.all(schema.name))
        let matches = plain.all(schema.name).filter { plain.holds(predicate, for: $0.record) }
        let expected = Self.part(matches, sort, page, after: anchor)
        for candidate in subjects {
            let hint = "\(candidate.name): \(rendering(schema.name, predicate, sort: sort, page: page))"
            let layout = candidate.subject.model(schema.name)
            try candidate.subject.read { scope in
                let reader = RelatedReader(scope.reader, layout: scope.schema)
                var found: [String] = []
                try reader.fetch(layout, where: predicate, sort: sort, page: page) { row in
                    found.append(try Record(row.row, layout: layout).rendering)
                    return true
                }
                try expect(found, expected, hint)
                // The order of a count can only be that of the keys.
                guard anchor == nil || sort.keys.isEmpty else { return }
                try expect(
                    try reader.count(layout, where: predicate, page: page), expected.count, "The count of \(hint)")
            }
        }
        return expected.count
    }

    /// Follows a relation of one record in all candidates, with a predicate, an order and a page.
    ///
    /// Returns the number of related records.
    mutating func follow() throws -> Int {
        let plain = RelatedModel(schema: schema, records: model)
        let schema = random.pick(schema.models)
        guard let owner = plain.all(schema.name).randomElement(using: &random),
            let association = schema.associations.randomElement(using: &random),
            let target = self.schema.models.first(where: { $0.name == association.target })
        else { return 0 }
        let generator = generator(of: target)
        let predicate = random.oneIn(3) ? .all : generator.relatedPredicate(using: &random)
        let sort = random.oneIn(2) ? nil : generator.sort(using: &random)
        let (page, anchor) = self.page(of: generator, after: plain.all(target.name))
        let matches = plain.follow(association, from: owner.record).filter { plain.holds(predicate, for: $0.record) }
        let expected = Self.part(matches, sort ?? ownOrder(of: association), page, after: anchor)
        for candidate in subjects {
            let hint =
                "\(candidate.name): \(association.name) of \(owner.record.rendering), "
                + rendering(target.name, predicate, sort: sort ?? .byKey, page: page)
            let own = candidate.subject.model(schema.name)
            let other = candidate.subject.model(target.name)
            try candidate.subject.read { scope in
                let reader = RelatedReader(scope.reader, layout: scope.schema)
                var found: [String] = []
                try EncodedRow(owner.record, layout: own).withRow { _, row in
                    try reader.forEach(
                        association.name, of: row, in: own, where: predicate, sort: sort, page: page
                    ) { row in
                        found.append(try Record(row.row, layout: other).rendering)
                        return true
                    }
                }
                try expect(found, expected, hint)
            }
        }
        return expected.count
    }

    /// A page of a query of `generator`. In some cases, it begins after one of `records`.
    private mutating func page(
        of generator: QueryGenerator, after records: [(key: [UInt8], record: Record)]
    ) -> (page: Page, anchor: (key: [UInt8], record: Record)?) {
        guard random.oneIn(2), let anchor = records.randomElement(using: &random) else {
            return (generator.page(using: &random), nil)
        }
        return (.after(anchor.record, limit: random.oneIn(3) ? nil : random.int(0...8)), anchor)
    }

    /// The order of a relation's records if no sort is requested: the remaining fields of the index that the relation uses.
    private func ownOrder(of association: Association) -> Sort {
        let index = schema.models.first { $0.name == association.target }?.indexes
            .first { $0.name == association.indexOrRelationName }
        return Sort((index?.fields ?? []).dropFirst(association.fields.count).map { Sort.Key($0) })
    }

    /// The renderings of a page of `records` in the order of `sort`.
    private static func part(
        _ records: [(key: [UInt8], record: Record)], _ sort: Sort, _ page: Page,
        after anchor: (key: [UInt8], record: Record)?
    ) -> [String] {
        func precedes(_ left: (key: [UInt8], record: Record), _ right: (key: [UInt8], record: Record)) -> Bool {
            for key in sort.keys {
                let order = ReferenceEvaluator.order(left.record[key.field], right.record[key.field])
                if order != 0 { return key.isDescending ? order > 0 : order < 0 }
            }
            return left.key.lexicographicallyPrecedes(right.key)
        }
        return records.filter { record in anchor.map { precedes($0, record) } ?? true }.sorted(by: precedes).dropFirst(
            page.offset
        ).prefix(page.limit ?? .max).map(\.record.rendering)
    }
}

/// Follows relations among plain records in the simplest way.
private struct RelatedModel {
    let schema: Schema
    /// The records by model and encoded key.
    let records: [String: [[UInt8]: Record]]

    /// The records of the model called `name` with their keys, in key order.
    func all(_ name: String) -> [(key: [UInt8], record: Record)] {
        records[name, default: [:]].sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { (key: $0.key, record: $0.value) }
    }

    /// Whether `record` satisfies `predicate`, which may follow relations.
    func holds(_ predicate: QueryPredicate, for record: Record) -> Bool {
        ReferenceEvaluator.evaluate(predicate, record) { name, inner in
            guard let association = association(name, of: record.model) else { return false }
            return follow(association, from: record).contains { ReferenceEvaluator.evaluate(inner, $0.record) }
        }
    }

    func association(_ name: String, of model: String) -> Association? {
        schema.models.first { $0.name == model }?.associations.first { $0.name == name }
    }

    /// The records to which `association` leads from `record`, in key order.
    func follow(_ association: Association, from record: Record) -> [(key: [UInt8], record: Record)] {
        let others = all(association.target)
        switch association.kind {
        case .belongsTo:
            return others.filter { agree(record, association.fields, with: $0.record, on: key(of: association.target)) }
        case .hasOne, .hasMany:
            let index = schema.models.first { $0.name == association.target }?.indexes
                .first { $0.name == association.indexOrRelationName }
            let fields = Array((index?.fields ?? []).prefix(association.fields.count))
            return others.filter { agree(record, association.fields, with: $0.record, on: fields) }
        case .manyToMany: return joined(association, with: record, among: others)
        }
    }

    private func joined(
        _ association: Association, with record: Record, among others: [(key: [UInt8], record: Record)]
    ) -> [(key: [UInt8], record: Record)] {
        guard let join = schema.models.first(where: { $0.name == association.indexOrRelationName }) else { return [] }
        let own = association.name == "joined" ? "left" : "right"
        let sides = join.associations.filter { $0.name == own } + join.associations.filter { $0.name != own }
        guard sides.count == 2 else { return [] }
        let joins = all(join.name).filter { agree($0.record, sides[0].fields, with: record, on: key(of: record.model)) }
        return others.filter { other in
            joins.contains { agree($0.record, sides[1].fields, with: other.record, on: key(of: association.target)) }
        }
    }

    private func key(of model: String) -> [String] {
        schema.models.first { $0.name == model }?.primaryKey ?? []
    }

    /// Whether the fields of both records have equal values, none of which is missing.
    private func agree(_ left: Record, _ fields: [String], with right: Record, on others: [String]) -> Bool {
        zip(fields, others).allSatisfy { field, other in
            guard let value = left[field], let same = right[other] else { return false }
            return ReferenceEvaluator.order(value, same) == 0
        }
    }
}
