internal import TidelogSchema

/// The Swift source of a model: a struct whose values are records.
struct ModelSource {
    let model: ModelSchema
    let run: GeneratorRun
    let name: SwiftName
    let members: GeneratorRun.Members
    let fields: [FieldSource]
    let relations: [RelationSource]

    init(_ model: ModelSchema, _ run: GeneratorRun) {
        self.model = model
        self.run = run
        name = run.type(model.name)
        let members = run.members(of: model.name)
        self.members = members
        let key = Set(model.primaryKey)
        fields = model.fields.map { field in
            FieldSource(schema: field, name: members.field(field.name), run: run, isKey: key.contains(field.name))
        }
        relations = model.associations.map { RelationSource($0, of: model, run) }
    }

    var access: String { run.access }

    var declaration: GeneratorRun.Declaration {
        var text = SourceText()
        text.document(model.documentation, or: "A record of the model `\(model.name)`.")
        let conformances = [run.tidelog("Model")] + ["Hashable", "Identifiable", "Codable"].map(run.swift)
        text.conformances("\(access)struct \(name.quoted)", conformances)
        text.indented(body)
        text.line("}")
        identifier(&text)
        let names = members.all + model.indexes.map { indexName($0) } + relations.map(\.setter)
        return GeneratorRun.Declaration(
            text, fileName: name.plain,
            isConventional: names.allSatisfy(\.isLowerCamelCase) && SwiftName.isTypeName(name.plain))
    }

    private func body(_ text: inout SourceText) {
        properties(&text)
        initializers(&text)
        for relation in relations { relation.accessors(&text) }
        queries(&text)
        keys(&text)
        text.blank()
        text.document("The model's schema.")
        text.write(SchemaLiterals(run).model(model), prefix: "\(access)static let schema = ")
        text.blank()
        text.codingKeys(fields, always: !relations.isEmpty, run)
        text.rowCoding(fields, relations: relations.map(\.storage), run)
    }

    // MARK: Properties

    private func properties(_ text: inout SourceText) {
        for field in fields { field.property(&text, note: keyNote(field)) }
        for relation in relations {
            text.generic(
                "private var \(relation.storage) = \(run.tidelog("LazyRelation"))", [relation.target.quoted],
                "()")
        }
        if model.field(named: "id") == nil {
            text.blank()
            text.document("The identity of the record.")
            let arguments = model.primaryKey.map { "\(members.field($0).label): \(members.field($0).quoted)" }
            text.braces(
                "\(access)var id: \(run.tidelog("ModelID"))<\(name.quoted)>",
                .call(".identifier", texts: arguments))
        }
    }

    /// The note for a field that holds the key of a relation.
    private func keyNote(_ field: FieldSource) -> String? {
        let holders = relations.filter { $0.holdsKey && $0.association.fields.contains(field.schema.name) }
        guard let holder = holders.first else { return nil }
        return "It holds the key of ``\(holder.name.plain)``."
    }

    private func initializers(_ text: inout SourceText) {
        text.blank()
        text.document("A record of these fields.")
        let taken = fields.filter { !$0.isServerSet }
        text.signature("\(access)init", taken.map(\.parameter))
        text.indented { text in
            for field in taken { text.assign("self.\(field.name.plain)", field.name.quoted) }
        }
        text.line("}")
        let parents = relations.filter(\.holdsKey)
        guard !parents.isEmpty else { return }
        text.blank()
        text.document("A record that refers to these records.")
        let held = Set(parents.flatMap(\.association.fields))
        let kept = taken.filter { !held.contains($0.schema.name) }
        let parameters =
            parents.map { (place: place($0.association.name), parameter: $0.parameter) }
            + kept.map { (place: place($0.schema.name), parameter: $0.parameter) }
        text.signature("\(access)init", parameters.stableSorted { $0.place < $1.place }.map(\.parameter))
        text.indented { text in
            let arguments = taken.map { field -> SourceText.Expression in
                let parent = parents.first { $0.association.fields.contains(field.schema.name) }
                let value = parent.map { $0.keyValue(of: field.schema.name) }
                return .prefixed("\(field.name.label):", .text(value ?? field.name.quoted))
            }
            text.write(.call("self.init", arguments))
            for parent in parents { parent.store(&text) }
        }
        text.line("}")
    }

    /// The position of a field or relation in the schema document.
    private func place(_ name: String) -> Int {
        let names = run.options.memberNames[model.name] ?? []
        return names.firstIndex(of: name) ?? (name == "id" ? -1 : names.count)
    }

    // MARK: Keys

    private func keys(_ text: inout SourceText) {
        text.blank()
        text.document("The fields and relations, for predicates, orders and eager loading.")
        text.block("\(access)struct Keys: \(run.swift("Sendable"))") { text in
            for field in fields { field.key(&text, of: name, as: "Field") }
            for relation in relations {
                text.document("``\(name.plain)/\(relation.name.plain)``")
                let type = "\(access)let \(relation.name.quoted) = \(run.tidelog("Relation"))"
                let types = [name.quoted, relation.target.quoted]
                let argument = "(\(SwiftWords.literal(relation.association.name)))"
                let head = "\(type)<\(types.joined(separator: ", "))>\(argument)"
                if text.fits(head + " {") {
                    text.braces(head, .text("$0.\(relation.storage) = $1"))
                } else {
                    text.generic(type, types, argument + " {")
                    text.indented { $0.line("$0.\(relation.storage) = $1") }
                    text.line("}")
                }
            }
        }
        text.document("The fields and relations: `\(name.plain).keys.\((fields.last ?? fields[0]).name.plain)`.")
        text.line("\(access)static let keys = Keys()")
    }

    private func identifier(_ text: inout SourceText) {
        let key = fields.filter(\.isKey)
        if model.primaryKey == ["id"], key.first?.schema.type == .id || key.first?.schema.type == .string { return }
        let ordered = model.primaryKey.compactMap { name in key.first { $0.schema.name == name } }
        text.blank()
        text.block("extension \(run.tidelog("ModelID")) where Target == \(name.quoted)") { text in
            text.document("The id of the ``\(name.plain)`` with this key.")
            text.signature(
                "\(access)static func identifier", ordered.map { .prefixed("\($0.name.quoted):", .text($0.type)) },
                " -> Self")
            text.indented { text in
                text.write(.call("Self", [.array(ordered.map { .text("\($0.name.quoted).fieldValue") })]))
            }
            text.line("}")
        }
    }

    // MARK: Indexes

    func indexName(_ index: IndexSchema) -> SwiftName { SwiftName(index.name, besides: []) }

    private func queries(_ text: inout SourceText) {
        for index in model.indexes {
            let parts = index.fields.compactMap { name in fields.first { $0.schema.name == name } }
            guard let first = parts.first else { continue }
            text.blank()
            text.document("The records with this ``\(first.name.plain)``, in the order of the index `\(index.name)`.")
            let condition = run.tidelog("KeyCondition")
            let parameters: [SourceText.Expression] =
                [.prefixed("\(first.name.quoted):", .text(first.valueType))]
                + parts.dropFirst().map {
                    .prefixed("\($0.name.quoted):", .text("\(condition)<\($0.valueType)>? = nil"))
                }
            let query = run.tidelog("Query")
            text.signature(
                "\(access)static func \(indexName(index).quoted)", parameters, " -> \(query)<\(name.quoted)>")
            let equality = "Self.keys.\(first.name.plain) == \(first.name.quoted)"
            text.indented { text in
                guard parts.count > 1 else { return text.write(.call(query, texts: ["where: \(equality)"])) }
                let conditions: [SourceText.Expression] =
                    [.text(equality)]
                    + parts.dropFirst().map {
                        .text("\($0.name.quoted)?.predicate(on: Self.keys.\($0.name.plain)) ?? .all")
                    }
                let orders = parts.dropFirst().map { ".ascending(Self.keys.\($0.name.plain))" }
                let sort = SourceText.Expression.call(".by", texts: orders)
                text.write(
                    .call(
                        query,
                        [
                            .labelled("where", .call(".and", [.array(conditions)])),
                            .labelled("sort", orders.count == 1 ? .text(orders[0]) : sort),
                        ]))
            }
            text.line("}")
        }
    }
}

extension Array {
    /// The elements in sorted order. Elements of the same rank keep their order.
    fileprivate func stableSorted(by precedes: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { left, right in
            precedes(left.element, right.element)
                || !precedes(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }
}
