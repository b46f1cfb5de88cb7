internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

extension SchemaDocument {
    /// The schema with the names that Amplify's second generation gives to queries by an index, such as
    /// `listTodoByStatusAndTitle`. A name that the document gives stays, and so does an index without a query.
    var schemaOfSecondGeneration: Schema {
        var schema = schema
        for model in schema.models.indices {
            let name = schema.models[model].name
            let definition = document.typeDefinitions.first { $0.kind == .object && $0.name.value == name }
            for index in schema.models[model].indexes.indices {
                let fields = schema.models[model].indexes[index].fields
                guard definition?.leavesQueryUnnamed(of: schema.models[model].indexes[index]) == true else { continue }
                schema.models[model].indexes[index].queryField =
                    "list\(Names.upperFirst(name))By" + fields.map(Names.upperFirst).joined(separator: "And")
            }
        }
        return schema
    }
}

extension TypeDefinition {
    /// Whether the model declares `index` and says nothing about its query.
    fileprivate func leavesQueryUnnamed(of index: IndexSchema) -> Bool {
        let directives = index.fields.first.flatMap { fields.first(named: $0) }?.directives ?? []
        return directives.contains { directive in
            guard directive.name.value == "index", directive.arguments["queryField"] == nil else { return false }
            let name = directive.arguments["name"]?.string ?? Names.index(of: self.name.value, index.fields)
            return name == index.name
        }
    }
}
