internal import TidelogAgreement
internal import TidelogGraphQLExecution

/// Filters of single values: the fields of the input types that every API has.
enum ScalarFilters {
    /// The scalars that have their own filter input types.
    static let scalars = ["String", "ID", "Int", "Float", "Boolean"]

    /// The cases of the enum for the type of a stored attribute.
    static let attributeTypes = [
        "binary", "binarySet", "bool", "list", "map", "number", "numberSet", "string", "stringSet", "_null",
    ]

    private static let equality = ["ne", "eq"]
    private static let order = ["le", "lt", "ge", "gt"]

    static func filter(of scalar: String) -> [InputValueDefinition] {
        var fields = comparisons(of: scalar)
        fields.append(InputValueDefinition("attributeExists", "Boolean"))
        fields.append(InputValueDefinition("attributeType", TypeNames.attributeTypes))
        if isText(scalar) { fields.append(InputValueDefinition("size", TypeNames.size)) }
        return fields
    }

    static func subscriptionFilter(of scalar: String) -> [InputValueDefinition] {
        let lists = scalar == "Boolean" ? [] : ["in", "notIn"]
        return comparisons(of: scalar) + lists.map { InputValueDefinition($0, .list(.named(scalar))) }
    }

    static func keyCondition(of scalar: String) -> [InputValueDefinition] {
        keyCondition(on: scalar, beginsWith: isText(scalar))
    }

    /// A condition on several sort fields. The values of the fields are in one object.
    static func compositeKeyCondition(on input: String) -> [InputValueDefinition] {
        keyCondition(on: input, beginsWith: true)
    }

    static func enumFilter(of name: String, isList: Bool) -> [InputValueDefinition] {
        guard isList else { return ["eq", "ne"].map { InputValueDefinition($0, name) } }
        return ["eq", "ne"].map { InputValueDefinition($0, .list(.named(name))) }
            + ["contains", "notContains"].map { InputValueDefinition($0, name) }
    }

    /// The conditions on the length of a value.
    static var size: [InputValueDefinition] { comparisons(of: "Int") }

    private static func isText(_ scalar: String) -> Bool { scalar == "String" || scalar == "ID" }

    private static func comparisons(of scalar: String) -> [InputValueDefinition] {
        var fields = equality.map { InputValueDefinition($0, scalar) }
        if scalar == "Boolean" { return fields }
        fields += order.map { InputValueDefinition($0, scalar) }
        if isText(scalar) { fields += ["contains", "notContains"].map { InputValueDefinition($0, scalar) } }
        fields.append(InputValueDefinition("between", .list(.named(scalar))))
        if isText(scalar) { fields.append(InputValueDefinition("beginsWith", scalar)) }
        return fields
    }

    private static func keyCondition(on type: String, beginsWith: Bool) -> [InputValueDefinition] {
        var fields = (["eq"] + order).map { InputValueDefinition($0, type) }
        fields.append(InputValueDefinition("between", .list(.named(type))))
        if beginsWith { fields.append(InputValueDefinition("beginsWith", type)) }
        return fields
    }
}
