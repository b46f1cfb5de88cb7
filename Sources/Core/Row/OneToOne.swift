/// Fields of a model that hold the key of a record of another, which no other record of the model may hold as well.
final class PartnerReference: Sendable {
    let owner: ModelLayout
    let target: ModelLayout
    let fields: [FieldLayout]
    /// The relation's name, as messages give it.
    let name: String
    /// Whether an index, or the key itself, begins with the fields.
    let isIndexed: Bool

    init(_ owner: ModelLayout, _ fields: [FieldLayout], _ target: ModelLayout, name: String) {
        self.owner = owner
        self.target = target
        self.fields = fields
        self.name = name
        let orders = [owner.keyFields] + owner.indexes.map(\.fields)
        isIndexed = orders.contains { $0.starts(with: fields, by: ===) }
    }
}

/// Which relations are one to one: a `@hasOne`, and the `@belongsTo` that answers it.
enum OneToOne {
    /// The fields by which a record of `target` belongs to one of `owner`, whose `association` is a `@hasOne` that holds the
    /// key itself; `nil` if no `@belongsTo` answers it.
    ///
    /// The first such `@hasOne` is answered by the first `@belongsTo` that leads back and answers nothing else, and so on.
    static func reference(
        answering association: Association, of owner: ModelLayout, in target: ModelLayout
    ) -> [FieldLayout]? {
        let askers = owner.schema.associations.filter {
            $0.kind == .hasOne && $0.indexOrRelationName == nil && $0.target == target.name
        }
        guard let place = askers.firstIndex(where: { $0.name == association.name }) else { return nil }
        // What the owner finds by an index of the target's is answered by who fills that index.
        let taken = owner.schema.associations.filter { $0.target == target.name }.compactMap { other in
            target.schema.indexes.first { $0.name == other.indexOrRelationName }?.fields
        }
        let answers = target.schema.associations.filter { answer in
            answer.kind == .belongsTo && answer.target == owner.name
                && !taken.contains { $0.starts(with: answer.fields) }
        }
        guard place < answers.count else { return nil }
        let fields = answers[place].fields.compactMap { target.row.field(named: $0) }
        return fields.count == owner.keyFields.count ? fields : nil
    }

    /// The references of `relations` that are one to one, by the model that has the fields.
    static func references(_ relations: some Sequence<RelationLayout>) -> [UInt32: [PartnerReference]] {
        var references: [UInt32: [PartnerReference]] = [:]
        for relation in relations where relation.association.kind == .hasOne {
            guard let dependents = relation.dependents else { continue }
            let (model, fields) = (dependents.model, dependents.other)
            // No two records have one key.
            if fields.starts(with: model.keyFields, by: ===) { continue }
            let answer = model.schema.associations.first {
                $0.kind == .belongsTo && $0.target == relation.owner.name && $0.fields == fields.map(\.name)
            }
            references[model.number, default: []].append(
                PartnerReference(
                    model, fields, relation.owner, name: answer?.name ?? "\(relation.owner.name).\(relation.name)"))
        }
        return references
    }
}
