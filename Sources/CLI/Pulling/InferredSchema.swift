internal import Tidelog
internal import TidelogAgreement
internal import TidelogJSON
internal import TidelogRecordText

/// A schema with Amplify's directives, as far as it can be inferred from an introspection of the API.
struct InferredSchema {
    /// The schema.
    private(set) var sdl = ""
    /// The facts that an introspection does not contain, one sentence each.
    private(set) var notInferred: [String] = []

    private let types: [String: IntrospectedType]
    private let models: [String]
    private let operations: [String: InferredOperations]
    private let query: IntrospectedType
    /// Fields that the API adds for relations, by model: a directive of another field implies them.
    private var implied: [String: Set<String>] = [:]
    private static let metadata: Set = ["_version", "_lastChangedAt", "_deleted"]

    init(introspection: JSONValue) throws {
        let all = (introspection["types"]?.elements ?? []).compactMap { IntrospectedType($0) }
        types = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        guard let name = introspection["queryType"]?["name"]?.text, let query = types[name] else {
            throw Self.failure("The introspection names no type of queries.")
        }
        self.query = query
        let root = { [types] (name: String) in introspection[name]?["name"]?.text.flatMap { types[$0] } }
        let roots = InferredOperations.Roots(
            query: query, mutation: root("mutationType"), subscription: root("subscriptionType"))
        // A type is a model if it has a connection, which lists records page by page, and a query for one record.
        var operations: [String: InferredOperations] = [:]
        for type in all where type.kind == "OBJECT" && types[TypeNames(model: type.name).connection] != nil {
            operations[type.name] = InferredOperations(of: type, roots)
        }
        models = all.map(\.name).filter { operations[$0] != nil }
        self.operations = operations
        guard !models.isEmpty else {
            throw Self.failure("The API has no model: no type with a query for one and for many.")
        }
        var parts = all.filter { isStored($0) }.map { self.enumeration($0) }
        // Relations come first, because they decide which fields are implied.
        let relations = models.map { model in (types[model]?.fields ?? []).compactMap { relation($0, of: model) } }
        for (model, relations) in zip(models, relations) { parts.append(self.model(model, relations)) }
        parts += embeddedTypes().map { embedded($0) }
        sdl = parts.joined(separator: "\n")
        noteForeignOperations([roots.mutation, query].compactMap { $0 })
        do {
            _ = try SchemaDocument(sdl: Array(sdl.utf8))
        } catch {
            throw Self.failure("The inferred schema is not usable: \(error)")
        }
    }

    private static func failure(_ message: String) -> CommandFailure {
        CommandFailure(.failed, "noSchema", message, recovery: "Ask the owner of the server for its schema.")
    }

    // MARK: - Enums and embedded types

    /// Whether the type is an enum that a stored field has.
    private func isStored(_ type: IntrospectedType) -> Bool {
        type.kind == "ENUM" && !type.name.hasPrefix("__")
            && (models + embeddedTypes()).contains { owner in
                types[owner]?.fields.contains { $0.type.name == type.name } == true
            }
    }

    private func enumeration(_ type: IntrospectedType) -> String {
        "\(Self.description(type.description))enum \(type.name) {\n"
            + type.cases.map { "  \($0)\n" }.joined() + "}\n"
    }

    /// The embedded types, in the order in which the records refer to them.
    private func embeddedTypes() -> [String] {
        var found: [String] = []
        var pending = models
        while let owner = pending.popLast() {
            for field in types[owner]?.fields ?? [] {
                let name = field.type.name
                guard let type = types[name], type.kind == "OBJECT", !models.contains(name), !found.contains(name),
                    connectionTarget(name) == nil
                else { continue }
                found.append(name)
                pending.append(name)
            }
        }
        return found.sorted()
    }

    private func embedded(_ name: String) -> String {
        let fields = (types[name]?.fields ?? []).map {
            "\(Self.description($0.description, "  "))  \($0.name): \($0.type.text)\n"
        }
        return "\(Self.description(types[name]?.description))type \(name) {\n\(fields.joined())}\n"
    }

    // MARK: - Models

    private mutating func model(_ name: String, _ relations: [String]) -> String {
        guard let type = types[name] else { preconditionFailure("a model is a type") }
        let creation = types[TypeNames(model: name).createInput]
        var lines: [String] = []
        for field in type.fields where isOwn(field, of: name) {
            // The server adds times that no client sets, so the schema does not declare them.
            let isSet = creation?.field(field.name) != nil
            if !isSet, field.name == "createdAt" || field.name == "updatedAt" { continue }
            if !isSet, creation != nil {
                notInferred.append("Whether the server alone sets \(name).\(field.name), which creations do not take.")
            }
            if isSet, field.type.isRequired, creation?.field(field.name)?.type.isRequired == false, field.name != "id" {
                notInferred.append("The default value of \(name).\(field.name).")
            }
            let directives = keyDirective(field, of: name) + indexDirectives(field, of: name)
            lines.append(
                "\(Self.description(field.description, "  "))  \(field.name): \(field.type.text)\(directives)\n")
        }
        lines += relations
        notInferred.append("The access rules of \(name) (@auth).")
        notInferred += operations[name]?.notInferred ?? []
        let arguments = operations[name]?.arguments ?? ""
        return "\(Self.description(type.description))type \(name) @model\(arguments) {\n\(lines.joined())}\n"
    }

    /// Whether the field is a stored one that the schema declares.
    private func isOwn(_ field: IntrospectedType.Field, of model: String) -> Bool {
        !Self.metadata.contains(field.name) && implied[model]?.contains(field.name) != true
            && !models.contains(field.type.name) && connectionTarget(field.type.name) == nil
    }

    private func keyDirective(_ field: IntrospectedType.Field, of model: String) -> String {
        let key = keyFields(of: model)
        guard key.first == field.name, key != ["id"] else { return "" }
        let rest = key.dropFirst().map { "\"\($0)\"" }.joined(separator: ", ")
        return rest.isEmpty ? " @primaryKey" : " @primaryKey(sortKeyFields: [\(rest)])"
    }

    private func keyFields(of model: String) -> [String] {
        operations[model].flatMap { query.field($0.get) }?.arguments.map(\.name) ?? []
    }

    /// The directives for the indexes whose first field is `field`.
    private mutating func indexDirectives(_ field: IntrospectedType.Field, of model: String) -> String {
        indexes(of: model).filter { $0.fields[0] == field.name }.map { index in
            notInferred.append("The name of the index of \(model) that the query \(index.query) uses.")
            let rest = index.fields.dropFirst().map { "\"\($0)\"" }.joined(separator: ", ")
            let sort = rest.isEmpty ? "" : ", sortKeyFields: [\(rest)]"
            return " @index(name: \"\(index.query)\"\(sort), queryField: \"\(index.query)\")"
        }.joined()
    }

    /// The root fields of Query that give a connection of the model and require the value of a field.
    private func indexes(of model: String) -> [(query: String, fields: [String])] {
        query.fields.compactMap { field in
            guard connectionTarget(field.type.name) == model, field.name != operations[model]?.list,
                field.name != operations[model]?.sync,
                let first = field.arguments.first, first.type.isRequired, types[model]?.field(first.name) != nil
            else { return nil }
            var fields = [first.name]
            if let sort = field.arguments.dropFirst().first, sort.type.name.hasSuffix("KeyConditionInput") {
                // The input of several sort fields lists them in its field `eq`.
                let composite = types[sort.type.name]?.field("eq").flatMap { types[$0.type.name] }
                fields += composite?.kind == "INPUT_OBJECT" ? composite?.fields.map(\.name) ?? [] : [sort.name]
            }
            return (field.name, fields)
        }
    }

    // MARK: - Relations

    /// The model whose records a connection lists.
    private func connectionTarget(_ name: String) -> String? {
        models.first { TypeNames(model: $0).connection == name }
    }

    /// The line of a relation. It is `nil` if the field is no relation, or if the schema does not show how the records are
    /// found.
    private mutating func relation(_ field: IntrospectedType.Field, of owner: String) -> String? {
        let line = { (type: String, directive: String) in
            "\(Self.description(field.description, "  "))  \(field.name): \(type) \(directive)\n"
        }
        if let target = connectionTarget(field.type.name) {
            let foreign = Names.foreignKey(of: owner, field.name, keyField: keyFields(of: owner).first ?? "id")
            if types[target]?.field(foreign) != nil {
                implied[target, default: []].insert(foreign)
                return line("[\(target)]", "@hasMany")
            }
            let leading = indexes(of: target).filter { isReference($0.fields[0], of: target, to: owner) }
            guard leading.count == 1, keyFields(of: owner).count == 1 else {
                notInferred.append("How \(owner).\(field.name) finds its records of \(target); the field is left out.")
                return nil
            }
            let key = keyFields(of: owner)[0]
            return line("[\(target)]", "@hasMany(indexName: \"\(leading[0].query)\", fields: [\"\(key)\"])")
        }
        guard models.contains(field.type.name) else { return nil }
        let target = field.type.name
        let foreign = Names.foreignKey(of: owner, field.name, keyField: keyFields(of: target).first ?? "id")
        if types[owner]?.field(foreign) != nil {
            implied[owner, default: []].insert(foreign)
            if types[target]?.fields.contains(where: { $0.type.name == owner }) == true {
                notInferred.append("Whether \(owner).\(field.name) is @hasOne or @belongsTo.")
            }
            return line(field.type.text, "@hasOne")
        }
        // If the other side has a list of this model, the list implies a field here, and that field holds the key of this
        // relation.
        let listed = types[target]?.fields.first { connectionTarget($0.type.name) == owner }
        if let listed,
            types[owner]?.field(
                Names.foreignKey(of: target, listed.name, keyField: keyFields(of: target).first ?? "id")) != nil
        {
            return line(field.type.text, "@belongsTo")
        }
        guard let reference = types[owner]?.fields.first(where: { isReference($0.name, of: owner, to: target) }) else {
            notInferred.append("How \(owner).\(field.name) finds its record of \(target); the field is left out.")
            return nil
        }
        return line(field.type.text, "@belongsTo(fields: [\"\(reference.name)\"])")
    }

    /// Whether the field's name shows that it holds the key of a record of `target`, to which `model` has a relation.
    private func isReference(_ name: String, of model: String, to target: String) -> Bool {
        let relations = types[model]?.fields.filter { $0.type.name == target }.map(\.name) ?? []
        return (relations + [Names.lowerFirst(target)]).contains { name == "\($0)ID" || name == "\($0)Id" }
    }

    // MARK: - Operations that do not belong to a model

    private mutating func noteForeignOperations(_ roots: [IntrospectedType]) {
        var known: Set<String> = []
        for model in models {
            if let own = operations[model] {
                known.formUnion([own.get, own.list, own.sync].compactMap { $0 } + own.mutations)
            }
            known.formUnion(indexes(of: model).map(\.query))
        }
        for type in roots {
            for field in type.fields where !known.contains(field.name) {
                notInferred.append("The meaning of \(type.name).\(field.name), which is left out.")
            }
        }
    }

    private static func description(_ text: String?, _ indentation: String = "") -> String {
        guard let text, !text.isEmpty else { return "" }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\(indentation)\"\(escaped)\"\n"
    }
}
