/// How a relation of a model is followed in a store: which side holds the key, and in which fields.
final class RelationLayout: Sendable {
    /// The place of the key.
    enum Path: Sendable {
        /// Fields of the owner hold the primary key of the other record.
        case ownKey([FieldLayout])
        /// Fields of the other record hold the same values as fields of the owner.
        ///
        /// The other record's fields are the first fields of an index or of its key. `order` are the remaining fields of the
        /// index.
        case otherFields(own: [FieldLayout], other: [FieldLayout], order: [String])
        /// Records of a third model, the join model, hold the primary keys of both sides.
        case join(ModelLayout, own: [FieldLayout], other: [FieldLayout])
    }

    let association: Association
    let owner: ModelLayout
    let target: ModelLayout
    let path: Path
    /// The records that are deleted with the owner, or `nil` if there are none.
    let dependents: Dependents?

    /// The records of `model` whose fields `other` hold the same values as the owner's fields `own`.
    struct Dependents: Sendable {
        let model: ModelLayout
        let own: [FieldLayout]
        let other: [FieldLayout]
    }

    private init(_ association: Association, of owner: ModelLayout, to target: ModelLayout, _ path: Path) {
        self.association = association
        self.owner = owner
        self.target = target
        self.path = path
        dependents = Self.dependents(association, of: owner, in: target, path)
    }

    /// The name of the relation.
    var name: String { association.name }

    /// Whether the relation leads to any number of records.
    var isToMany: Bool { association.kind == .hasMany || association.kind == .manyToMany }

    /// The records that are deleted with the owner: the related records, or the records that join them.
    ///
    /// Related records that are found by only a part of the owner's key also belong to other owners, so they are not deleted.
    /// If a `@hasOne` holds the key itself, the other record is deleted only if it refers back to the owner: by a matching
    /// `@belongsTo`, or by having the same key.
    private static func dependents(
        _ association: Association, of owner: ModelLayout, in target: ModelLayout, _ path: Path
    ) -> Dependents? {
        switch path {
        case .ownKey(let fields):
            guard association.kind == .hasOne else { return nil }
            if let reference = OneToOne.reference(answering: association, of: owner, in: target) {
                return Dependents(model: target, own: owner.keyFields, other: reference)
            }
            let holdsOwnKey = fields.count == owner.keyFields.count && zip(fields, owner.keyFields).allSatisfy(===)
            return holdsOwnKey ? Dependents(model: target, own: fields, other: target.keyFields) : nil
        case .otherFields(let own, let other, _):
            guard owner.keyFields.allSatisfy({ key in own.contains { $0 === key } }) else { return nil }
            return Dependents(model: target, own: own, other: other)
        case .join(let join, let own, _): return Dependents(model: join, own: owner.keyFields, other: own)
        }
    }

    /// The relation that `association` of `owner` declares, or `nil` if the schema does not define how to follow it.
    static func resolve(
        _ association: Association, of owner: ModelLayout, _ models: [String: ModelLayout]
    ) -> RelationLayout? {
        guard let target = models[association.target] else { return nil }
        let path =
            switch association.kind {
            case .belongsTo: ownKey(association, owner, target)
            case .hasOne where association.indexOrRelationName == nil: ownKey(association, owner, target)
            case .hasOne, .hasMany: otherFields(association, owner, target)
            case .manyToMany: join(association, of: owner, to: target, models)
            }
        return path.map { RelationLayout(association, of: owner, to: target, $0) }
    }

    private static func ownKey(_ association: Association, _ owner: ModelLayout, _ target: ModelLayout) -> Path? {
        let fields = association.fields.compactMap { owner.row.field(named: $0) }
        guard fields.count == association.fields.count, matches(fields, target.keyFields) else { return nil }
        return .ownKey(fields)
    }

    private static func otherFields(_ association: Association, _ owner: ModelLayout, _ target: ModelLayout) -> Path? {
        let names = association.fields.isEmpty ? owner.schema.primaryKey : association.fields
        let own = names.compactMap { owner.row.field(named: $0) }
        var fields = target.keyFields
        if let name = association.indexOrRelationName {
            guard let index = target.indexes.first(where: { $0.name == name }) else { return nil }
            fields = index.fields
        }
        let other = Array(fields.prefix(own.count))
        guard own.count == names.count, matches(own, other) else { return nil }
        let rest = association.indexOrRelationName == nil ? [] : fields.dropFirst(own.count)
        return .otherFields(own: own, other: other, order: rest.map(\.name))
    }

    private static func join(
        _ association: Association, of owner: ModelLayout, to target: ModelLayout, _ models: [String: ModelLayout]
    ) -> Path? {
        guard let join = association.indexOrRelationName.flatMap({ models[$0] }) else { return nil }
        let sides = join.schema.associations.filter { $0.kind == .belongsTo }
        guard sides.count >= 2 else { return nil }
        // If a model is joined with itself, its first relation starts at the first side and its second at the second side.
        let isReverse =
            owner.name == target.name
            && owner.schema.associations.first { $0.indexOrRelationName == join.name }?.name != association.name
        let ownSide = isReverse ? sides.last { $0.target == owner.name } : sides.first { $0.target == owner.name }
        guard let ownSide, let otherSide = sides.first(where: { $0.target == target.name && $0 != ownSide }) else {
            return nil
        }
        let own = ownSide.fields.compactMap { join.row.field(named: $0) }
        let other = otherSide.fields.compactMap { join.row.field(named: $0) }
        guard matches(own, owner.keyFields), matches(other, target.keyFields) else { return nil }
        return .join(join, own: own, other: other)
    }

    /// Whether `fields` can hold the values of `others`: the types match one by one.
    private static func matches(_ fields: [FieldLayout], _ others: [FieldLayout]) -> Bool {
        !fields.isEmpty && fields.count == others.count
            && zip(fields, others).allSatisfy { $0.type == $1.type || ($0.type.isText && $1.type.isText) }
    }
}
