internal import TidelogGraphQL

extension Lowering {
    /// The replacement for a directive of version 1 of the transformer; `nil` for any other directive.
    func replacement(of directive: Directive) -> String? {
        switch directive.name.value {
        case "key": keyReplacement(directive)
        case "connection": connectionReplacement(directive)
        default: nil
        }
    }

    private func keyReplacement(_ directive: Directive) -> String {
        let fields = texts("fields", directive)
        guard let first = fields.first else { return "use @primaryKey or @index on a field" }
        var arguments: [String] = []
        if let name = directive.arguments["name"]?.string { arguments.append("name: \"\(name)\"") }
        let directiveName = arguments.isEmpty ? "@primaryKey" : "@index"
        if !arguments.isEmpty, let query = directive.arguments["queryField"]?.string {
            arguments.append("queryField: \"\(query)\"")
        }
        if fields.count > 1 { arguments.append("sortKeyFields: \(list(fields.dropFirst()))") }
        return "write \(written(directiveName, arguments)) on the field \(first)"
    }

    private func connectionReplacement(_ directive: Directive) -> String {
        let place = objectTypes.lazy.compactMap { type in
            type.fields.first { $0.directives.contains { $0.span == directive.span } }.map { (type, $0) }
        }.first
        guard let (type, field) = place else { return "use @hasOne, @hasMany or @belongsTo" }
        let fields = texts("fields", directive)
        var arguments: [String] = []
        if field.type.listElement != nil {
            if let index = directive.arguments["keyName"]?.string { arguments.append("indexName: \"\(index)\"") }
            if !fields.isEmpty { arguments.append("fields: \(list(fields[...]))") }
            if let limit = directive.arguments["limit"]?.int { arguments.append("limit: \(limit)") }
            return "write \(written("@hasMany", arguments))"
        }
        if !fields.isEmpty { arguments.append("fields: \(list(fields[...]))") }
        return "write \(written(isCounterpart(of: type, field) ? "@belongsTo" : "@hasOne", arguments))"
    }

    /// Whether `field` is the other side of a relation: its type has a list of `type`.
    private func isCounterpart(of type: ObjectTypeDefinition, _ field: FieldDefinition) -> Bool {
        guard case .object(let other)? = types[field.type.innermost.name.value] else { return false }
        return other.fields.contains {
            $0.type.listElement != nil && $0.type.innermost.name.value == type.name.value
        }
    }

    private func texts(_ name: String, _ directive: Directive) -> [String] {
        guard let value = directive.arguments[name] else { return [] }
        return (value.elements ?? [value]).compactMap(\.string)
    }

    private func written(_ directive: String, _ arguments: [String]) -> String {
        arguments.isEmpty ? directive : "\(directive)(\(arguments.joined(separator: ", ")))"
    }

    private func list(_ texts: ArraySlice<String>) -> String {
        "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}
