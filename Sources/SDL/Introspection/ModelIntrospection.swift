internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogJSON

/// The models of an API as Amplify describes them to clients: `data.model_introspection` of `amplify_outputs.json`.
///
/// The description becomes a document in the schema language, so that one reader makes the schema of both. It has no defaults,
/// no validations and no rules of single fields.
struct ModelIntrospection {
    private let root: IntrospectionNode
    private let models: [IntrospectedModel]
    private let modelPlaces: [String: Int]

    /// Reads the text of `amplify_outputs.json`, or the introspection alone.
    init(json: [UInt8]) throws(SchemaDiagnostic) {
        let file: JSONValue
        do {
            file = try JSONValue(parsing: json)
        } catch {
            throw SchemaDiagnostic(error.message, at: SourceLocation(offset: error.position.byteOffset, in: json))
        }
        let whole = IntrospectionNode(value: file, path: "")
        if let root = whole["data"]?["model_introspection"] {
            self.root = root
        } else if whole["models"] != nil {
            root = whole
        } else {
            throw SchemaDiagnostic(
                "the file has no data.model_introspection", at: SourceLocation(line: 1, column: 1),
                suggestion: "use the amplify_outputs.json of a backend with models")
        }
        var models: [IntrospectedModel] = []
        for (name, node) in try root.required("models").members() {
            models.append(try IntrospectedModel(name, node))
        }
        guard !models.isEmpty else { throw try root.required("models").failure("has no model") }
        self.models = models
        modelPlaces = Dictionary(models.enumerated().map { ($1.name.value, $0) }) { first, _ in first }
    }

    /// The document that declares the models, the enums and the other types.
    func document() throws(SchemaDiagnostic) -> Document {
        var definitions: [Document.Definition] = []
        for (name, node) in try root["enums"]?.members() ?? [] {
            var values: [EnumValueDefinition] = []
            for text in try node.required("values").texts() {
                values.append(EnumValueDefinition(name: try node.checkedName(text)))
            }
            definitions.append(.type(TypeDefinition(.enum, name: try node.checkedName(name), enumValues: values)))
        }
        let keyFields = try keyFields()
        for (place, model) in models.enumerated() {
            var type = try model.definition()
            for (field, node) in model.relations { type.fields.append(try relation(field, node)) }
            // A client of the first generation knows these fields only by the relations that need them.
            for field in keyFields[place] where type.fields.first(named: field.name.value) == nil {
                type.fields.append(field)
            }
            definitions.append(.type(type))
        }
        for (name, node) in try root["nonModels"]?.members() ?? [] {
            var fields: [FieldDefinition] = []
            for (_, field) in try node.required("fields").members() {
                fields.append(try IntrospectedModel.field(field, directives: []))
            }
            definitions.append(.type(TypeDefinition(.object, name: try node.checkedName(name), fields: fields)))
        }
        return Document(definitions: definitions)
    }

    private func model(named node: IntrospectionNode) throws(SchemaDiagnostic) -> Int {
        let name = try node.required("type").name("model")
        guard let place = modelPlaces[name.value] else {
            throw node.failure("leads to \(name.value), which is no model")
        }
        return place
    }

    // MARK: Relations

    private enum Kind: String {
        case hasMany = "HAS_MANY", hasOne = "HAS_ONE", belongsTo = "BELONGS_TO"
    }

    private func kind(of association: IntrospectionNode) throws(SchemaDiagnostic) -> Kind {
        let text = try association.required("connectionType").text()
        guard let kind = Kind(rawValue: text) else {
            throw association.failure("has the kind \(text), which is not known")
        }
        return kind
    }

    private func relation(_ name: String, _ node: IntrospectionNode) throws(SchemaDiagnostic) -> FieldDefinition {
        let association = try node.required("association")
        let target = try model(named: node)
        let own = try IntrospectedModel.ownNames(of: association)
        let directive: Directive
        switch try kind(of: association) {
        case .hasMany:
            let references = try references(of: association, to: target)
            directive = Directive(name: "hasMany", arguments: .texts("references", references))
        case .hasOne where own.isEmpty:
            let references = try references(of: association, to: target)
            directive = Directive(name: "hasOne", arguments: .texts("references", references))
        case .hasOne: directive = Directive(name: "hasOne", arguments: .texts("fields", own))
        case .belongsTo: directive = Directive(name: "belongsTo", arguments: .texts("fields", own))
        }
        return FieldDefinition(
            name: try node.checkedName(name), type: try IntrospectedModel.type(of: node), directives: [directive])
    }

    /// The fields of the model `target` that hold the key of the owner of a relation. The first generation names the relation
    /// back instead of its fields.
    private func references(
        of association: IntrospectionNode, to target: Int
    ) throws(SchemaDiagnostic) -> [String] {
        let names = try association.required("associatedWith").texts()
        guard names.count == 1, let back = models[target].relations.first(where: { $0.name == names[0] }) else {
            return names
        }
        return try IntrospectedModel.ownNames(of: back.node.required("association"))
    }

    /// The fields that hold keys for relations, by the place of the model that has them.
    private func keyFields() throws(SchemaDiagnostic) -> [[FieldDefinition]] {
        var fields = [[FieldDefinition]](repeating: [], count: models.count)
        // The relation that has the key itself says whether the key is required, so it comes first.
        for hasKey in [true, false] {
            for (place, model) in models.enumerated() {
                for (_, node) in model.relations {
                    let association = try node.required("association")
                    let own = try IntrospectedModel.ownNames(of: association)
                    let target = try self.model(named: node)
                    _ = try kind(of: association)
                    guard own.isEmpty != hasKey else { continue }
                    let (holder, owner) = hasKey ? (place, target) : (target, place)
                    let names = hasKey ? own : try references(of: association, to: target)
                    let isRequired = hasKey ? try node.isTrue("isRequired") : false
                    for (name, key) in zip(names, models[owner].key) {
                        let type = TypeReference.named(Name(value: models[owner].keyType(key)))
                        let name = try association.checkedName(name)
                        guard fields[holder].first(named: name.value) == nil else { continue }
                        fields[holder].append(FieldDefinition(name: name, type: isRequired ? .nonNull(type) : type))
                    }
                }
            }
        }
        return fields
    }
}
