/// The schema of a store: all models and fields with their numbers in rows and events.
///
/// A number is assigned once and never reused. A removed model or field keeps its number.
public struct StoredSchema: Sendable, Hashable {
    /// The version, counted from 1. Every change of the schema makes a new version.
    public var version: UInt32
    /// The schema that the code declares, together with everything that earlier or different builds declared. No stored data is
    /// lost.
    public var declared: Schema
    /// The number of each model by name, including dropped ones.
    public var modelNumbers: [String: UInt32]
    /// The number of each field by name, for every model and embedded type by name, including dropped ones.
    public var fieldNumbers: [String: [String: UInt16]]
    /// The number of each index by name, for every model by name.
    public var indexNumbers: [String: [String: UInt16]]
    /// The names of the migrations that led to this schema, in the order in which they were applied.
    public var migrations: [String]

    /// The first schema of a store. All numbers are assigned in declaration order.
    ///
    /// - Parameter migrations: The names of the migrations that led to `declared`.
    public init(first declared: Schema, migrations: [String] = []) {
        self.init(
            version: 1, declared: declared, modelNumbers: [:], fieldNumbers: [:], indexNumbers: [:],
            migrations: migrations)
        assignNumbers()
    }

    init(
        version: UInt32, declared: Schema, modelNumbers: [String: UInt32],
        fieldNumbers: [String: [String: UInt16]], indexNumbers: [String: [String: UInt16]],
        migrations: [String]
    ) {
        self.version = version
        self.declared = declared
        self.modelNumbers = modelNumbers
        self.fieldNumbers = fieldNumbers
        self.indexNumbers = indexNumbers
        self.migrations = migrations
    }

    /// The schema that follows this one if the code declares `next`. Known names keep their numbers.
    public func adopting(_ next: Schema) -> StoredSchema {
        var following = self
        following.version += 1
        following.declared = next
        following.assignNumbers()
        assert(following.keepsNumbers(of: self), "a number is never assigned again")
        return following
    }

    private mutating func assignNumbers() {
        for model in declared.models {
            if modelNumbers[model.name] == nil {
                modelNumbers[model.name] = (modelNumbers.values.max() ?? 0) + 1
            }
            Self.assign(model.fields.map(\.name), in: &fieldNumbers[model.name, default: [:]])
            Self.assign(model.indexes.map(\.name), in: &indexNumbers[model.name, default: [:]])
        }
        for type in declared.embeddedTypes {
            Self.assign(type.fields.map(\.name), in: &fieldNumbers[type.name, default: [:]])
        }
    }

    /// Whether every name that `earlier` numbers has the same number here.
    private func keepsNumbers(of earlier: StoredSchema) -> Bool {
        earlier.modelNumbers.allSatisfy { modelNumbers[$0.key] == $0.value }
            && earlier.fieldNumbers.allSatisfy { type in
                type.value.allSatisfy { fieldNumbers[type.key]?[$0.key] == $0.value }
            }
            && earlier.indexNumbers.allSatisfy { model in
                model.value.allSatisfy { indexNumbers[model.key]?[$0.key] == $0.value }
            }
    }

    private static func assign(_ names: [String], in numbers: inout [String: UInt16]) {
        assert(Set(numbers.values).count == numbers.count, "two names have no number in common")
        var next = (numbers.values.max() ?? 0) + 1
        for name in names where numbers[name] == nil {
            numbers[name] = next
            next += 1
        }
    }
}

extension StoredSchema {
    /// Renames the model `old` to `new`. All numbers of the model, its fields and its indexes stay the same.
    package mutating func rename(model old: String, to new: String) {
        precondition(modelNumbers[old] != nil, "a model that is renamed has a number")
        precondition(modelNumbers[new] == nil, "the new name of a model is free")
        modelNumbers[new] = modelNumbers.removeValue(forKey: old)
        fieldNumbers[new] = fieldNumbers.removeValue(forKey: old)
        indexNumbers[new] = indexNumbers.removeValue(forKey: old)
        for index in declared.models.indices {
            if declared.models[index].name == old { declared.models[index].name = new }
            for place in declared.models[index].associations.indices
            where declared.models[index].associations[place].target == old {
                declared.models[index].associations[place].target = new
            }
        }
    }

    /// Renames the field `old` of the model `model` to `new`. Its number stays the same.
    package mutating func rename(field old: String, of model: String, to new: String) {
        precondition(fieldNumbers[model]?[old] != nil, "a field that is renamed has a number")
        precondition(fieldNumbers[model]?[new] == nil, "the new name of a field is free")
        let number = fieldNumbers[model]?.removeValue(forKey: old)
        fieldNumbers[model]?[new] = number
        let renamed = { (name: String) in name == old ? new : name }
        for index in declared.models.indices where declared.models[index].name == model {
            declared.models[index].fields.rename(old, to: new)
            declared.models[index].primaryKey = declared.models[index].primaryKey.map(renamed)
            for place in declared.models[index].indexes.indices {
                declared.models[index].indexes[place].fields = declared.models[index].indexes[place].fields.map(renamed)
            }
            for place in declared.models[index].associations.indices {
                declared.models[index].associations[place].fields =
                    declared.models[index].associations[place].fields.map(renamed)
            }
        }
    }

    /// Retires the model `name`, of which there are no records.
    ///
    /// Its numbers stay in use under a name that no schema can have. A later model with the same name gets new numbers.
    package mutating func retire(model name: String) {
        guard let number = modelNumbers.removeValue(forKey: name) else { return }
        let retired = "\(name)~\(number)"
        modelNumbers[retired] = number
        fieldNumbers[retired] = fieldNumbers.removeValue(forKey: name)
        indexNumbers[retired] = indexNumbers.removeValue(forKey: name)
        declared.models.removeAll { $0.name == name }
    }

    /// Retires the field `name` of `type`.
    ///
    /// Its number stays in use under a name that no schema can have. A later field with the same name gets a new number.
    package mutating func retire(field name: String, of type: String) {
        guard let number = fieldNumbers[type]?.removeValue(forKey: name) else { return }
        fieldNumbers[type]?["\(name)~\(number)"] = number
    }
}

extension [FieldSchema] {
    fileprivate mutating func rename(_ old: String, to new: String) {
        for index in indices where self[index].name == old { self[index].name = new }
    }
}

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
