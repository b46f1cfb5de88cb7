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
