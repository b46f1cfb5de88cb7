/// The names of the types in the API of a model, except the model's own type.
package struct TypeNames: Sendable, Hashable {
    /// The name of the model.
    package let model: String

    package init(model: String) { self.model = model }

    package var connection: String { "Model\(Names.upperFirst(model))Connection" }
    package var filter: String { "Model\(Names.upperFirst(model))FilterInput" }
    package var condition: String { "Model\(Names.upperFirst(model))ConditionInput" }
    package var subscriptionFilter: String { "ModelSubscription\(Names.upperFirst(model))FilterInput" }
    package var createInput: String { "Create\(Names.upperFirst(model))Input" }
    package var updateInput: String { "Update\(Names.upperFirst(model))Input" }
    package var deleteInput: String { "Delete\(Names.upperFirst(model))Input" }

    /// The type of the condition on several sort fields of an index. The index is `nil` for the primary key. Amplify's
    /// transformer keeps the model's first letter here, in contrast to the other types.
    package func compositeKeyCondition(index: String?) -> String {
        "Model\(model)\(Names.upperFirst(index ?? "Primary"))CompositeKeyConditionInput"
    }

    /// The type of the values for several sort fields of an index.
    package func compositeKeyInput(index: String?) -> String {
        "Model\(model)\(Names.upperFirst(index ?? "Primary"))CompositeKeyInput"
    }
}

extension TypeNames {
    package static let attributeTypes = "ModelAttributeTypes"
    package static let size = "ModelSizeInput"
    package static let sortDirection = "ModelSortDirection"

    /// The scalar with which filters compare values of `scalar`. Filters have five scalars, and each AWS scalar uses one of
    /// them.
    package static func filterScalar(_ scalar: String) -> String? {
        switch scalar {
        case "ID", "String", "Int", "Float", "Boolean": scalar
        case "AWSTimestamp": "Int"
        case "AWSDate", "AWSTime", "AWSDateTime", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress": "String"
        default: nil
        }
    }

    /// The type of a filter on a field with a scalar or an enum: `ModelStringInput`, `ModelStatusInput`.
    package static func filter(of type: String) -> String { "Model\(filterScalar(type) ?? type)Input" }

    /// The type of a filter on a list of enum cases.
    package static func listFilter(of type: String) -> String { "Model\(type)ListInput" }

    /// The type of a subscription's filter on a field. Enums are compared as texts.
    package static func subscriptionFilter(of type: String) -> String {
        "ModelSubscription\(filterScalar(type) ?? "String")Input"
    }

    /// The type of a condition on one sort field. Enums are compared as texts.
    package static func keyCondition(of type: String) -> String {
        "Model\(filterScalar(type) ?? "String")KeyConditionInput"
    }

    /// The input type of an embedded type.
    package static func embeddedInput(_ type: String) -> String { "\(Names.upperFirst(type))Input" }
}
