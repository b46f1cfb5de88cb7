@_spi(Adapters) internal import TidelogCore

/// Follows relations among plain records in the simplest way.
struct RelatedModel {
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
            return others.filter { agree(record, association.fields, $0.record, key(of: association.target)) }
        case .hasOne, .hasMany:
            let index = schema.models.first { $0.name == association.target }?.indexes
                .first { $0.name == association.indexOrRelationName }
            let fields = Array((index?.fields ?? []).prefix(association.fields.count))
            return others.filter { agree(record, association.fields, $0.record, fields) }
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
        let joins = all(join.name).filter { agree($0.record, sides[0].fields, record, key(of: record.model)) }
        return others.filter { other in
            joins.contains { agree($0.record, sides[1].fields, other.record, key(of: association.target)) }
        }
    }

    private func key(of model: String) -> [String] {
        schema.models.first { $0.name == model }?.primaryKey ?? []
    }

    /// Whether the fields of both records have equal values, none of which is missing.
    private func agree(_ left: Record, _ fields: [String], _ right: Record, _ others: [String]) -> Bool {
        zip(fields, others).allSatisfy { field, other in
            guard let value = left[field], let same = right[other] else { return false }
            return ReferenceEvaluator.order(value, same) == 0
        }
    }
}
