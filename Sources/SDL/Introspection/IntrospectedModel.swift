internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogJSON

/// A model of a model introspection.
struct IntrospectedModel {
    let name: Name
    /// The names of the primary key's fields.
    let key: [String]
    /// The fields that are relations, in order.
    private(set) var relations: [(name: String, node: IntrospectionNode)] = []
    private var fields: [(name: String, node: IntrospectionNode)] = []
    private var indexes: [IntrospectionNode] = []
    private var settings: IntrospectionNode?
    private var rules: IntrospectionNode?

    init(_ name: String, _ node: IntrospectionNode) throws(SchemaDiagnostic) {
        self.name = try node.checkedName(name)
        for (name, field) in try node.required("fields").members() {
            if field["association"] == nil { fields.append((name, field)) } else { relations.append((name, field)) }
        }
        var key: [String]?
        for attribute in try node["attributes"]?.elements() ?? [] {
            let properties = attribute["properties"]
            switch try attribute.required("type").text() {
            case "model": settings = properties
            case "auth": rules = properties?["rules"]
            case "key":
                guard let properties else { throw attribute.failure("has no \"properties\"") }
                let isIndex = properties["name"] != nil
                if isIndex { indexes.append(properties) } else { key = try properties.required("fields").texts() }
            default: break
            }
        }
        if key == nil, let info = node["primaryKeyInfo"] {
            key = [try info.required("primaryKeyFieldName").text()] + (try info["sortKeyFieldNames"]?.texts() ?? [])
        }
        self.key = key ?? ["id"]
    }

    /// The scalar of the field `name`, a part of the key.
    func keyType(_ name: String) -> String {
        let field = fields.first { $0.name == name }
        guard case .string(let type)? = field?.node.value["type"] else { return "ID" }
        return type
    }

    /// The type without its relations.
    func definition() throws(SchemaDiagnostic) -> TypeDefinition {
        var definitions: [FieldDefinition] = []
        for (name, node) in fields {
            let isReadOnly = try node.isTrue("isReadOnly")
            let isImplied = isReadOnly && timestampNames.contains(name)
            if !isImplied { definitions.append(try Self.field(node, directives: keys(of: name))) }
        }
        var directives = [Directive(name: "model", arguments: try modelArguments())]
        if let rules { directives.append(.auth(rules: try Self.rules(rules))) }
        return TypeDefinition(.object, name: name, directives: directives, fields: definitions)
    }

    // MARK: Settings

    /// The names of the fields that the server sets to the times of creation and of the last change.
    private var timestampNames: [String] {
        ["createdAt", "updatedAt"].map { name in
            if case .string(let other)? = settings?["timestamps"]?.value[name] { other } else { name }
        }
    }

    private func modelArguments() throws(SchemaDiagnostic) -> [Argument] {
        var arguments: [Argument] = []
        for name in ["queries", "mutations", "subscriptions", "timestamps"] {
            // A `null` turns operations off, so it is not the same as a missing setting.
            guard let settings, let value = settings.value[name] else { continue }
            let node = IntrospectionNode(value: value, path: "\(settings.path).\(name)")
            arguments.append(Argument(name: Name(value: name), value: try node.literal(choices: ["level"])))
        }
        if settings?.value["timestamps"] == nil {
            let missing = timestampNames.filter { name in !fields.contains { $0.name == name } }
            if missing.count == 2 {
                arguments.append(Argument(name: "timestamps", value: .null()))
            } else if let name = missing.first {
                arguments.append(
                    Argument(name: "timestamps", value: .object([.init(name: Name(value: name), value: .null())])))
            }
        }
        return arguments
    }

    private func keys(of field: String) throws(SchemaDiagnostic) -> [Directive] {
        var directives: [Directive] = []
        if field == key.first, key != ["id"] {
            directives.append(
                Directive(name: "primaryKey", arguments: .texts("sortKeyFields", Array(key.dropFirst()))))
        }
        for index in indexes {
            let names = try index.required("fields").texts()
            guard names.first == field else { continue }
            var arguments = [Argument.text("name", try index.name("name").value)]
            arguments += .texts("sortKeyFields", Array(names.dropFirst()))
            let query = try index["queryField"]?.text()
            arguments.append(query.map { .text("queryField", $0) } ?? Argument(name: "queryField", value: .null()))
            directives.append(Directive(name: "index", arguments: arguments))
        }
        return directives
    }

    private static func rules(_ node: IntrospectionNode) throws(SchemaDiagnostic) -> [Value] {
        guard case .object(let known, _, _) = Vocabulary.authRule else { preconditionFailure("a rule is an object") }
        var rules: [Value] = []
        for rule in try node.elements() {
            var fields: [Value.ObjectField] = []
            for (name, member) in try rule.members() {
                // The description calls the field with the groups of a record by another name than the schema language.
                let isGroupsField = name == "groupField" && rule["groups"] == nil && rule["groupsField"] == nil
                let name = isGroupsField ? "groupsField" : name
                guard known[name] != nil, member.value != .null else { continue }
                let isChoice = ["allow", "provider", "operations"].contains(name)
                fields.append(
                    .init(name: Name(value: name), value: try member.literal(choices: [], isChoice: isChoice)))
            }
            rules.append(.object(fields))
        }
        return rules
    }

    // MARK: Fields

    /// The field that `node` describes.
    static func field(
        _ node: IntrospectionNode, directives: [Directive]
    ) throws(SchemaDiagnostic) -> FieldDefinition {
        FieldDefinition(name: try node.name("name"), type: try type(of: node), directives: directives)
    }

    /// The type of a field. `isRequired` is about the elements of a list, and `isArrayNullable` about the list.
    static func type(of node: IntrospectionNode) throws(SchemaDiagnostic) -> TypeReference {
        let type = try node.required("type")
        var name = type.value
        for kind in ["model", "enum", "nonModel"] { name = type.value[kind] ?? name }
        guard case .string(let text) = name else { throw type.failure("names no scalar, enum, type or model") }
        let isRequired = try node.isTrue("isRequired")
        var reference = TypeReference.named(try type.checkedName(text))
        if isRequired { reference = .nonNull(reference) }
        guard try node.isTrue("isArray") else { return reference }
        // The elements of a relation are records, which a list never lacks.
        if node["association"] != nil { return .list(.named(try type.checkedName(text))) }
        return try node.isTrue("isArrayNullable") ? .list(reference) : .nonNull(.list(reference))
    }

    /// The fields of a relation's own model that hold the key of the other record.
    static func ownNames(of association: IntrospectionNode) throws(SchemaDiagnostic) -> [String] {
        if let names = association["targetNames"] { return try names.texts() }
        return try association["targetName"].map { name throws(SchemaDiagnostic) in [try name.text()] } ?? []
    }
}

extension IntrospectionNode {
    /// The value in the schema language. The texts under the keys in `choices` are values of enums.
    func literal(choices: Set<String>, isChoice: Bool = false) throws(SchemaDiagnostic) -> Value {
        switch value {
        case .null: return .null()
        case .bool(let flag): return .boolean(flag)
        case .int(let number): return .int(String(number))
        case .double(let number): return .float(number.description)
        case .string(let text): return isChoice ? .enum(try checkedName(text)) : .string(StringValue(value: text))
        case .array:
            var elements: [Value] = []
            for element in try self.elements() {
                elements.append(try element.literal(choices: choices, isChoice: isChoice))
            }
            return .list(elements)
        case .object:
            var fields: [Value.ObjectField] = []
            for (key, member) in try members() {
                let value = try member.literal(choices: choices, isChoice: choices.contains(key))
                fields.append(.init(name: try member.checkedName(key), value: value))
            }
            return .object(fields)
        }
    }
}
