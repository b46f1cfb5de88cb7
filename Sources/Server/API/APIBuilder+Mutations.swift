internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogWire

extension APIBuilder {
    mutating func addMutations(of source: ModelSource) {
        let (model, names) = (source.schema.name, source.names)
        for mutation in Mutation.allCases {
            guard let name = source.settings.mutations[mutation] else { continue }
            let input =
                switch mutation {
                case .create: names.createInput
                case .update: names.updateInput
                case .delete: names.deleteInput
                }
            let arguments = [
                InputValueDefinition("input", .named(input).required),
                InputValueDefinition("condition", names.condition),
            ]
            addRootField(
                .mutation, FieldDefinition(name, arguments, .named(model)),
                RootField(name: name, model: model, kind: .mutation(mutation)))
        }
    }
}
