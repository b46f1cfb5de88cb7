/// A predicate that follows relations, resolved in one view of the rows: a part for the adapter, and a filter for the rest.
struct RelatedPredicate {
    /// The part that the adapter checks. It follows no relations.
    let predicate: QueryPredicate
    /// The remaining condition, or `nil` if there is none.
    let filter: RelatedPredicate.Filter?

    /// The largest number of matching records that become equalities.
    static let equalityCount = 100

    init(_ predicate: QueryPredicate, of model: ModelLayout, in reader: RelatedReader) throws {
        let resolver = RelationResolver(model: model, reader: reader)
        // The members of a conjunction are handled one by one, so that the adapter gets as many of them as possible.
        var plain: [QueryPredicate] = []
        var others: [RelatedPredicate.Filter] = []
        for member in predicate.conjuncts {
            switch try resolver.resolve(member, depth: 0) {
            case .plain(let member): plain.append(member)
            case .filter(let filter): others.append(filter)
            }
        }
        self.predicate = .and(plain)
        filter = others.isEmpty ? nil : .and(others)
    }

    /// The part of a predicate that the adapter cannot check. Its conditions on rows are compiled once.
    indirect enum Filter {
        case row(RowPredicate)
        case and([RelatedPredicate.Filter])
        case or([RelatedPredicate.Filter])
        case not(RelatedPredicate.Filter)
        case lookUp(RelationLookUp)

        /// Whether `row` satisfies the filter. The reader is used during the call, so the row must stay valid while it reads.
        func holds(for row: RowView, in reader: RelatedReader) throws -> Bool {
            switch self {
            case .row(let predicate): try predicate.evaluate(row)
            case .and(let members): try members.allSatisfy { try $0.holds(for: row, in: reader) }
            case .or(let members): try members.contains { try $0.holds(for: row, in: reader) }
            case .not(let member): try !member.holds(for: row, in: reader)
            case .lookUp(let lookUp): try lookUp.holds(for: row, in: reader)
            }
        }
    }
}

extension DataStoreError {
    /// The error for a predicate on `model` that follows one relation after the other.
    package static func twoRelations(from model: String, _ names: [String]) -> DataStoreError {
        DataStoreError(
            .invalidPredicate,
            "The predicate on \(model) follows the relations \(names.joined(separator: " and then ")). It may follow only one.",
            model: model,
            recovery: "Query the related records first, and then the records of \(model) that belong to them.")
    }
}

extension QueryPredicate {
    /// Whether any part of this predicate on `model` is a condition on related records.
    func followsRelations(of model: ModelLayout) -> Bool {
        switch self {
        case .all, .field: false
        default: !relationNames(of: model).isEmpty
        }
    }

    /// The names of the relations of `model` that the predicate follows, up to the allowed nesting depth.
    ///
    /// Conditions on embedded values do not count, because these values are in the row.
    func relationNames(of model: ModelLayout, depth: Int = 0) -> Set<String> {
        guard depth <= PredicateCompiler.maximumDepth else { return [] }
        switch self {
        case .related(let name, _): return model.stored.row.field(named: name) == nil ? [name] : []
        case .all, .field: return []
        case .and(let members), .or(let members):
            return members.reduce(into: []) { $0.formUnion($1.relationNames(of: model, depth: depth + 1)) }
        case .not(let member): return member.relationNames(of: model, depth: depth + 1)
        }
    }
}

/// Resolves the members of a predicate on `model`.
private struct RelationResolver {
    let model: ModelLayout
    let reader: RelatedReader

    enum Resolved {
        /// The member follows no relations, or its relations have become equalities.
        case plain(QueryPredicate)
        case filter(RelatedPredicate.Filter)
    }

    func resolve(_ predicate: QueryPredicate, depth: Int) throws -> Resolved {
        guard depth <= PredicateCompiler.maximumDepth else { throw PredicateCompiler.tooDeep(model) }
        switch predicate {
        case .all, .field: return .plain(predicate)
        case .not(let member):
            switch try resolve(member, depth: depth + 1) {
            case .plain(let member): return .plain(.not(member))
            case .filter(let member): return .filter(.not(member))
            }
        case .and(let members):
            return try group(members, depth, plain: QueryPredicate.and, filter: RelatedPredicate.Filter.and)
        case .or(let members):
            return try group(members, depth, plain: QueryPredicate.or, filter: RelatedPredicate.Filter.or)
        case .related(let name, _) where model.stored.row.field(named: name) != nil: return .plain(predicate)
        case .related(let name, let inner):
            let relation = try reader.layout.relations.required(name, of: model)
            if let second = inner.relationNames(of: relation.target).min() {
                let next = try reader.layout.relations.required(second, of: relation.target)
                throw DataStoreError.twoRelations(from: model.name, [name, next.name])
            }
            if let equalities = try equalities(relation, inner) { return .plain(equalities) }
            return .filter(.lookUp(RelationLookUp(relation, try RowPredicate(inner, for: relation.target))))
        }
    }

    private func group(
        _ members: [QueryPredicate], _ depth: Int, plain: ([QueryPredicate]) -> QueryPredicate,
        filter: ([RelatedPredicate.Filter]) -> RelatedPredicate.Filter
    ) throws -> Resolved {
        let resolved = try members.map { try resolve($0, depth: depth + 1) }
        let predicates = resolved.compactMap { if case .plain(let predicate) = $0 { predicate } else { nil } }
        guard predicates.count < resolved.count else { return .plain(plain(predicates)) }
        return .filter(
            filter(
                try resolved.map { member in
                    switch member {
                    case .plain(let predicate): .row(try RowPredicate(predicate, for: model))
                    case .filter(let filter): filter
                    }
                }))
    }

    /// The equalities on the model's own fields that mean the same as `inner` on a related record, or `nil` if there are too
    /// many.
    private func equalities(_ relation: RelationLayout, _ inner: QueryPredicate) throws -> QueryPredicate? {
        switch relation.path {
        case .ownKey(let fields):
            return try matches(relation.target, inner, relation.target.keyFields).map(fields.equalAny)
        case .otherFields(let own, let other, _):
            return try matches(relation.target, inner, other).map(own.equalAny)
        case .join(let join, let own, let other):
            guard let keys = try matches(relation.target, inner, relation.target.keyFields) else { return nil }
            var owners: Set<[FieldValue]> = []
            for key in keys {
                guard let joined = try matches(join, other.equal(key), own) else { return nil }
                owners.formUnion(joined)
                guard owners.count <= RelatedPredicate.equalityCount else { return nil }
            }
            return model.keyFields.equalAny(owners)
        }
    }

    /// The values of `fields` in the records of `model` that match `predicate`, or `nil` if there are too many records.
    private func matches(
        _ model: ModelLayout, _ predicate: QueryPredicate, _ fields: [FieldLayout]
    ) throws -> Set<[FieldValue]>? {
        var found: Set<[FieldValue]> = []
        var count = 0
        let query = try StorageQuery(
            model: model, predicate: predicate, page: .first(RelatedPredicate.equalityCount + 1))
        try reader.rows.fetch(query) { row in
            count += 1
            if let values = try fields.values(of: row.row) { found.insert(values) }
            return true
        }
        return count > RelatedPredicate.equalityCount ? nil : found
    }
}

/// Looks up whether a record's related records satisfy a predicate.
///
/// It keeps the answer for each related record, because many records may refer to the same one. It is used for one query in one
/// view of the rows.
final class RelationLookUp {
    private let relation: RelationLayout
    private let predicate: RowPredicate
    private var known: [[UInt8]: Bool] = [:]

    /// The largest number of answers that are kept. After that, all are removed.
    private static let knownCount = 10_000

    init(_ relation: RelationLayout, _ predicate: RowPredicate) {
        self.relation = relation
        self.predicate = predicate
    }

    func holds(for row: RowView, in reader: RelatedReader) throws -> Bool {
        switch relation.path {
        case .ownKey(let fields):
            return try fields.withKey(of: row, as: relation.target) { key in
                try key.map { try holds(under: [UInt8]($0), in: reader) } ?? false
            }
        case .otherFields(let own, let other, _):
            guard let values = try own.values(of: row) else { return false }
            var isFound = false
            try reader.rows.fetch(StorageQuery(model: relation.target, predicate: other.equal(values))) { row in
                isFound = try predicate.evaluate(row.row)
                return !isFound
            }
            return isFound
        case .join(let join, let own, let other):
            return try reader.keys(relation, in: join, own: own, other: other, of: row).contains {
                try holds(under: $0, in: reader)
            }
        }
    }

    /// Whether there is a record with `key` that satisfies the predicate.
    private func holds(under key: [UInt8], in reader: RelatedReader) throws -> Bool {
        if let answer = known[key] { return answer }
        let answer = try key.withUnsafeBytes { bytes in
            // The row is evaluated before the reader is used again, so it need not be copied.
            try reader.rows.get(bytes, in: relation.target).map { try predicate.evaluate($0.row) } ?? false
        }
        if known.count >= Self.knownCount { known.removeAll(keepingCapacity: true) }
        known[key] = answer
        return answer
    }
}
