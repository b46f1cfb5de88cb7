internal import TidelogGraphQL
internal import TidelogSuggestion

extension Lowering {
    /// Merges each `extend` into the declaration of its type. Both may be anywhere in the document.
    mutating func mergeExtensions() throws(SchemaDiagnostic) {
        for type in document.typeExtensions {
            let name = type.name
            let place = document.definitions.firstIndex {
                if case .type(let definition) = $0 { definition.name.value == name.value } else { false }
            }
            guard let place, case .type(let definition) = document.definitions[place] else {
                if rootTypes.contains(name.value), case .object(let root) = type {
                    document.definitions.append(
                        .type(.object(ObjectTypeDefinition(name: name, fields: root.fields, span: root.span))))
                    continue
                }
                throw failure(
                    "there is no type \(name.value) to extend", name.span,
                    Suggestion.didYouMean(name.value, among: document.typeDefinitions.map(\.name.value)))
            }
            if let directive = type.directives.first {
                throw failure(
                    "directives belong on the declaration of \(name.value), not on what extends it", directive.span)
            }
            guard let merged = merged(definition, type) else {
                throw failure("\(name.value) is declared as something else than what extends it", name.span)
            }
            document.definitions[place] = .type(merged)
        }
    }

    private func merged(_ definition: TypeDefinition, _ addition: TypeDefinition) -> TypeDefinition? {
        switch (definition, addition) {
        case (.object(var type), .object(let addition)):
            type.fields += addition.fields
            return .object(type)
        case (.enum(var type), .enum(let addition)):
            type.values += addition.values
            return .enum(type)
        // Records do not contain values of these types, so their extensions are ignored.
        case (.interface, .interface), (.union, .union), (.inputObject, .inputObject), (.scalar, .scalar):
            return definition
        default: return nil
        }
    }
}
