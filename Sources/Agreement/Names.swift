/// The rules by which Amplify's transformer makes names of fields and operations. Clients make names by the same rules, so the
/// server must do so too.
package enum Names {
    /// The words as one name in camel case. All words except the first get an upper-case first letter, and all other letters
    /// stay unchanged.
    package static func camelCase(_ words: [String]) -> String {
        words.filter { !$0.isEmpty }.enumerated().map { $0 == 0 ? lowerFirst($1) : upperFirst($1) }.joined()
    }

    /// The name with a lower-case first letter.
    package static func lowerFirst(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    /// The name with an upper-case first letter.
    package static func upperFirst(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The default name of an index and of its query: `commentsByPostIdAndCreatedAt`.
    package static func index(of model: String, _ fields: [String]) -> String {
        lowerFirst(Plural.of(model)) + "By" + fields.map(upperFirst).joined(separator: "And")
    }

    /// The name of the argument for a condition on several sort fields. For `length` and `width`, it is `lengthWidth`.
    package static func compositeSortArgument(_ fields: [String]) -> String { camelCase(fields) }
}

// MARK: - Relations

extension Names {
    /// The default name of the field that holds a part of the other side's key: `projectTeamId`.
    ///
    /// - Parameters:
    ///   - owner: The model with the relation.
    ///   - relation: The name of the relation field.
    ///   - keyField: The field of the other side's key.
    package static func foreignKey(of owner: String, _ relation: String, keyField: String) -> String {
        camelCase([owner, relation, keyField])
    }

    /// The relation field of a join model that leads to `model`.
    package static func joinRelation(to model: String) -> String { lowerFirst(model) }

    /// The fields of a join model that hold the key of `model`: `postId` for the first key field, and names such as `posttitle`
    /// for the following key fields.
    package static func joinFields(for model: String, key: [String]) -> [String] {
        key.enumerated().map { lowerFirst(model) + ($0 == 0 ? upperFirst($1) : $1) }
    }

    /// The index of a join model for one of the two models.
    package static func joinIndex(by model: String) -> String { "by" + upperFirst(model) }
}
