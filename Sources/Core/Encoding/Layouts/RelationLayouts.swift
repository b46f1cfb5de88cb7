internal import TidelogSuggestion

/// The relations of all models of a schema.
struct RelationLayouts: Sendable {
    private let byModel: [UInt32: [RelationLayout]]
    private let cascading: [UInt32: [RelationLayout]]
    private let required: [UInt32: [(relation: RelationLayout, fields: [FieldLayout])]]
    private let partners: [UInt32: [OneToOne.Reference]]

    init(_ models: [ModelLayout], _ byName: [String: ModelLayout]) {
        var byModel: [UInt32: [RelationLayout]] = [:]
        for model in models where !model.schema.associations.isEmpty {
            byModel[model.number] = model.schema.associations.compactMap {
                RelationLayout.resolve($0, of: model, byName)
            }
        }
        self.byModel = byModel
        cascading = byModel.mapValues { $0.filter { $0.dependents != nil } }
        partners = OneToOne.references(byModel.values.joined())
        required = byModel.compactMapValues { relations in
            let parents = relations.compactMap { relation -> (RelationLayout, [FieldLayout])? in
                guard relation.association.isRequired, case .ownKey(let fields) = relation.path else { return nil }
                return (relation, fields)
            }
            return parents.isEmpty ? nil : parents
        }
    }

    /// Whether any model requires that a parent exists.
    var requireParents: Bool { !required.isEmpty }

    /// The relations of `model` with a parent that must exist, each with the fields that hold the parent's key.
    func requiredParents(of model: ModelLayout) -> [(relation: RelationLayout, fields: [FieldLayout])] {
        required[model.number] ?? []
    }

    /// Whether any model has a field that holds the key of a partner in a one-to-one relation.
    var havePartners: Bool { !partners.isEmpty }

    /// The fields of `model` that hold the key of a partner. Each partner is held by at most one record.
    func partners(of model: ModelLayout) -> [OneToOne.Reference] { partners[model.number] ?? [] }

    /// The relations from `model` to records that are deleted together with a record of `model`.
    func cascading(from model: ModelLayout) -> [RelationLayout] { cascading[model.number] ?? [] }

    /// The relations of `model`.
    func of(_ model: ModelLayout) -> [RelationLayout] { byModel[model.number] ?? [] }

    /// The relation of `model` called `name`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPredicate`.
    func required(_ name: String, of model: ModelLayout) throws -> RelationLayout {
        let relations = of(model)
        if let relation = relations.first(where: { $0.name == name }) { return relation }
        let names = relations.map(\.name)
        throw DataStoreError(
            .invalidPredicate,
            "The model \(model.name) has no relation \(name) that can be followed"
                + Suggestion.ending(for: name, among: names), model: model.name,
            recovery: names.isEmpty ? "It has no relations." : "Relations: \(names.joined(separator: ", ")).")
    }
}
