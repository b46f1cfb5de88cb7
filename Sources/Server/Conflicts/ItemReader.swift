internal import TidelogCore
internal import TidelogGraphQLExecution

/// Reads the values of a record from an item that a conflict handler returned. The values are coerced like GraphQL input and
/// checked by the types of the model in the API.
struct ItemReader {
    let typeSystem: TypeSystem
    let schema: Schema
    let model: ModelSchema

    /// The values of `item`. A field that the item leaves out becomes null.
    ///
    /// - Parameter kept: The values that the item cannot change, by field name.
    func values(
        of item: InputObject, keeping kept: [String: FieldValue?]
    ) throws(ConflictCase.Failure) -> [String: FieldValue] {
        guard let type = typeSystem.type(model.name) else { throw ConflictCase.Failure("the API has no \(model.name)") }
        for member in item.members where model.field(named: member.name) == nil {
            guard member.name == "__typename", member.value == .string(model.name) else {
                throw ConflictCase.Failure("\(model.name) has no field that is called like one of the item's")
            }
        }
        var values: [String: FieldValue] = [:]
        for field in model.fields {
            if let value = kept[field.name] {
                values[field.name] = value
                continue
            }
            let input = item[field.name] ?? .null
            // The API does not declare this field, so no client sends it, and there is no type to check.
            let declared = type.field(field.name)
            let place = "\(model.name).\(field.name)"
            let coerced = if let declared { try self.coerced(input, to: declared.type, place) } else { input }
            values[field.name] = FieldValue(coerced, as: field.type, in: schema)
        }
        return values
    }

    private func coerced(
        _ value: InputValue, to type: ResolvedType, _ place: String
    ) throws(ConflictCase.Failure) -> InputValue {
        if value.isNull {
            guard !type.isNonNull else { throw ConflictCase.Failure("\(place) may not be null") }
            return .null
        }
        if let element = type.listElement {
            guard case .list(let elements) = value else { throw ConflictCase.Failure("\(place) is a list") }
            var coerced: [InputValue] = []
            for value in elements { coerced.append(try self.coerced(value, to: element, place)) }
            return .list(coerced)
        }
        let named = typeSystem.innermost(type)
        if named.isLeaf {
            do { return try typeSystem.coerced(leaf: value, to: named) } catch {
                throw ConflictCase.Failure("\(place) takes no such value")
            }
        }
        guard case .object(let object) = value else { throw ConflictCase.Failure("\(place) is an object") }
        return .object(try coerced(object, to: named, place))
    }

    private func coerced(
        _ object: InputObject, to type: DeclaredType, _ place: String
    ) throws(ConflictCase.Failure) -> InputObject {
        for member in object.members where type.field(member.name) == nil {
            guard member.name == "__typename", member.value == .string(type.name) else {
                throw ConflictCase.Failure("\(type.name) has no field that is called like one of the item's")
            }
        }
        var members: [InputObject.Member] = []
        for field in type.fields {
            let value = object[field.name] ?? .null
            members.append(
                .init(name: field.name, value: try coerced(value, to: field.type, "\(place).\(field.name)")))
        }
        return InputObject(members)
    }
}
