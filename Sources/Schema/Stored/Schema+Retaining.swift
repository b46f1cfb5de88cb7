extension Schema {
    /// This declared schema, together with everything that only the store's schema `old` has.
    ///
    /// That includes models, fields and enum cases, and the types that those contain. Anything that both schemas have is taken
    /// from this schema. Indexes are also only taken from this schema, because they contain only data that the rows have.
    ///
    /// - Parameter leavingOut: The fields of models and embedded types, by the type's name, that are not kept.
    package func retaining(_ old: Schema, leavingOut: [String: Set<String>] = [:]) -> Schema {
        var merged = self
        for (index, model) in merged.models.enumerated() {
            guard let before = old.model(named: model.name) else { continue }
            merged.models[index].fields += before.fields.missing(
                in: model.fields, leavingOut: leavingOut[model.name, default: []])
        }
        merged.models += old.models.filter { model(named: $0.name) == nil }
        for (index, type) in merged.embeddedTypes.enumerated() {
            guard let before = old.embeddedTypes.first(where: { $0.name == type.name }) else { continue }
            merged.embeddedTypes[index].fields += before.fields.missing(
                in: type.fields, leavingOut: leavingOut[type.name, default: []])
        }
        for (index, type) in merged.enums.enumerated() {
            guard let before = old.enums.first(where: { $0.name == type.name }) else { continue }
            let known = Set(type.cases)
            merged.enums[index].cases += before.cases.filter { !known.contains($0) }
        }
        let others = old.embeddedTypes.filter { type in !embeddedTypes.contains { $0.name == type.name } }
        let otherEnums = old.enums.filter { type in !enums.contains { $0.name == type.name } }
        merged.embeddedTypes += others
        merged.enums += otherEnums
        // Types that no row can contain any more need not be kept.
        let used = merged.reachedTypes.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let unused = Set(others.map(\.name) + otherEnums.map(\.name)).subtracting(used)
        merged.embeddedTypes.removeAll { unused.contains($0.name) }
        merged.enums.removeAll { unused.contains($0.name) }
        assert(
            used.isSubset(of: merged.embeddedTypes.map(\.name) + merged.enums.map(\.name)),
            "the fields of a merged schema have types that it declares")
        return merged
    }
}

extension [FieldSchema] {
    fileprivate func missing(in others: [FieldSchema], leavingOut: Set<String>) -> [FieldSchema] {
        let known = Set(others.map(\.name)).union(leavingOut)
        return filter { !known.contains($0.name) }
    }
}
