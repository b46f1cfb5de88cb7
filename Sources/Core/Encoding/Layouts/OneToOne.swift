/// Finds the relations that are one to one: a `@hasOne` and the matching `@belongsTo` of the other model.
enum OneToOne {
    /// The fields with which a record of `target` refers to a record of `owner`, or `nil` if there is no matching `@belongsTo`.
    ///
    /// `association` is a `@hasOne` of `owner` that holds the key itself. The first such `@hasOne` matches the first
    /// `@belongsTo` of `target` that refers to `owner` and matches no index. The second matches the second, and so on.
    static func reference(
        answering association: Association, of owner: ModelLayout, in target: ModelLayout
    ) -> [FieldLayout]? {
        let askers = owner.schema.associations.filter {
            $0.kind == .hasOne && $0.indexOrRelationName == nil && $0.target == target.name
        }
        guard let place = askers.firstIndex(where: { $0.name == association.name }) else { return nil }
        // A `@belongsTo` that fills an index of the target matches the owner's relation over that index.
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

    /// The one-to-one references among `relations`, by the number of the model that has the fields.
    static func references(_ relations: some Sequence<RelationLayout>) -> [UInt32: [Reference]] {
        var references: [UInt32: [Reference]] = [:]
        for relation in relations where relation.association.kind == .hasOne {
            guard let dependents = relation.dependents else { continue }
            let (model, fields) = (dependents.model, dependents.other)
            // Two records never have the same key, so these fields need no check.
            if fields.starts(with: model.keyFields, by: ===) { continue }
            let answer = model.schema.associations.first {
                $0.kind == .belongsTo && $0.target == relation.owner.name && $0.fields == fields.map(\.name)
            }
            references[model.number, default: []].append(
                Reference(
                    model, fields, relation.owner, name: answer?.name ?? "\(relation.owner.name).\(relation.name)"))
        }
        return references
    }

    /// Fields of a model that hold the key of a partner. No two records of the model may hold the same key there.
    final class Reference: Sendable {
        let owner: ModelLayout
        let target: ModelLayout
        let fields: [FieldLayout]
        /// The relation's name, as it appears in messages.
        let name: String
        /// Whether the fields are the first fields of an index or of the primary key.
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
}
