/// The rules by which Amplify's transformer makes the names of fields and operations: clients make the same names by
/// themselves, so a server has to.
package enum Names {
    /// The words as one name in camel case: the first letter of each but the first upper, all others as they are.
    package static func camelCase(_ words: [String]) -> String {
        words.filter { !$0.isEmpty }.enumerated().map { $0 == 0 ? lowerFirst($1) : upperFirst($1) }.joined()
    }

    /// The name with a lower first letter.
    package static func lowerFirst(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    /// The name with an upper first letter.
    package static func upperFirst(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The name that an index and its query have if none is given: `commentsByPostIdAndCreatedAt`.
    package static func index(of model: String, _ fields: [String]) -> String {
        lowerFirst(Plural.of(model)) + "By" + fields.map(upperFirst).joined(separator: "And")
    }

    /// The argument that takes a condition on several sort fields: `lengthAndWidth` is `lengthWidth`.
    package static func compositeSortArgument(_ fields: [String]) -> String { camelCase(fields) }
}

// MARK: - Relations

extension Names {
    /// The field that holds a part of the other side's key where a relation names no field: `projectTeamId`.
    ///
    /// - Parameters:
    ///   - owner: The model with the relation.
    ///   - relation: The field that is the relation.
    ///   - keyField: The field of the key that is referred to.
    package static func foreignKey(of owner: String, _ relation: String, keyField: String) -> String {
        camelCase([owner, relation, keyField])
    }

    /// The field of a join model that leads to `model`.
    package static func joinRelation(to model: String) -> String { lowerFirst(model) }

    /// The fields of a join model that hold the key of `model`: the first as `postId`, those that follow as `posttitle`.
    package static func joinFields(for model: String, key: [String]) -> [String] {
        key.enumerated().map { lowerFirst(model) + ($0 == 0 ? upperFirst($1) : $1) }
    }

    /// The index of a join model by one of the models that it joins.
    package static func joinIndex(by model: String) -> String { "by" + upperFirst(model) }
}
