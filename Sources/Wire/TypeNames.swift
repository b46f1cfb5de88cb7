/// The names of the types that the API of a model consists of, but for the model's own.
package struct TypeNames: Sendable, Hashable {
    /// The name of the model.
    package let model: String

    package init(model: String) { self.model = model }

    package var connection: String { "Model\(model)Connection" }
    package var filter: String { "Model\(model)FilterInput" }
    package var condition: String { "Model\(model)ConditionInput" }
    package var subscriptionFilter: String { "ModelSubscription\(Names.upperFirst(model))FilterInput" }
    package var createInput: String { "Create\(Names.upperFirst(model))Input" }
    package var updateInput: String { "Update\(Names.upperFirst(model))Input" }
    package var deleteInput: String { "Delete\(Names.upperFirst(model))Input" }

    /// The condition on the sort fields of an index, `nil` for the primary key, where there are several.
    package func compositeKeyCondition(index: String?) -> String {
        "Model\(model)\(Names.upperFirst(index ?? "Primary"))CompositeKeyConditionInput"
    }

    /// The values of these sort fields.
    package func compositeKeyInput(index: String?) -> String {
        "Model\(model)\(Names.upperFirst(index ?? "Primary"))CompositeKeyInput"
    }
}

extension TypeNames {
    package static let attributeTypes = "ModelAttributeTypes"
    package static let size = "ModelSizeInput"
    package static let sortDirection = "ModelSortDirection"

    /// The five scalars that filters know, and which of them stands for each scalar of AWS.
    package static func filterScalar(_ scalar: String) -> String? {
        switch scalar {
        case "ID", "String", "Int", "Float", "Boolean": scalar
        case "AWSTimestamp": "Int"
        case "AWSDate", "AWSTime", "AWSDateTime", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress": "String"
        default: nil
        }
    }

    /// What filters a field of a scalar, or of an enum: `ModelStringInput`, `ModelStatusInput`.
    package static func filter(of type: String) -> String { "Model\(filterScalar(type) ?? type)Input" }

    /// What filters a list of cases of an enum.
    package static func listFilter(of type: String) -> String { "Model\(type)ListInput" }

    /// What filters a field where a subscription does; enums as texts.
    package static func subscriptionFilter(of type: String) -> String {
        "ModelSubscription\(filterScalar(type) ?? "String")Input"
    }

    /// The condition on one sort field; enums as texts.
    package static func keyCondition(of type: String) -> String {
        "Model\(filterScalar(type) ?? "String")KeyConditionInput"
    }

    /// The input for a type that is stored inside records.
    package static func embeddedInput(_ type: String) -> String { "\(Names.upperFirst(type))Input" }
}
