internal import TidelogAgreement
internal import TidelogSDL
internal import TidelogSchema

/// Swift expressions that recreate the parts of a schema.
struct SchemaLiterals {
    let run: GeneratorRun

    init(_ run: GeneratorRun) { self.run = run }

    func model(_ model: ModelSchema) -> SourceText.Expression {
        var arguments: [SourceText.Expression] = [
            text("name", model.name), .labelled("fields", .array(model.fields.map(field))),
        ]
        if model.primaryKey != ["id"] { arguments.append(texts("primaryKey", model.primaryKey)) }
        if !model.indexes.isEmpty { arguments.append(.labelled("indexes", .array(model.indexes.map(index)))) }
        if !model.associations.isEmpty {
            arguments.append(.labelled("associations", .array(model.associations.map(association))))
        }
        if !model.directives.isEmpty { arguments.append(texts("directives", model.directives)) }
        if let documentation = model.documentation {
            arguments.append(.labelled("documentation", .prose(documentation)))
        }
        return .call(run.tidelog("ModelSchema"), arguments)
    }

    func embedded(_ type: EmbeddedSchema) -> SourceText.Expression {
        var arguments: [SourceText.Expression] = [
            text("name", type.name), .labelled("fields", .array(type.fields.map(field))),
        ]
        if let documentation = type.documentation {
            arguments.append(.labelled("documentation", .prose(documentation)))
        }
        return .call(run.tidelog("EmbeddedSchema"), arguments)
    }

    func enumeration(_ type: EnumSchema) -> SourceText.Expression {
        var arguments = [text("name", type.name), texts("cases", type.cases)]
        if let documentation = type.documentation {
            arguments.append(.labelled("documentation", .prose(documentation)))
        }
        return .call(run.tidelog("EnumSchema"), arguments)
    }

    private func field(_ field: FieldSchema) -> SourceText.Expression {
        var arguments: [SourceText.Expression] = [.text(SwiftWords.literal(field.name)), .text(type(field.type))]
        if field.isRequired { arguments.append(.text("isRequired: true")) }
        if field.isReadOnly { arguments.append(.text("isReadOnly: true")) }
        if let value = field.defaultValue { arguments.append(.labelled("defaultValue", self.value(value))) }
        if !field.directives.isEmpty { arguments.append(texts("directives", field.directives)) }
        if let scalar = field.scalar { arguments.append(text("scalar", scalar)) }
        if let documentation = field.documentation {
            arguments.append(.labelled("documentation", .prose(documentation)))
        }
        return .call(run.tidelog("FieldSchema"), arguments)
    }

    private func index(_ index: IndexSchema) -> SourceText.Expression {
        var arguments = [text("name", index.name), texts("fields", index.fields)]
        if let query = index.queryField { arguments.append(text("queryField", query)) }
        return .call(run.tidelog("IndexSchema"), arguments)
    }

    private func association(_ association: Association) -> SourceText.Expression {
        var arguments = [
            text("name", association.name), .text("kind: .\(association.kind.rawValue)"),
            text("target", association.target),
        ]
        if !association.fields.isEmpty { arguments.append(texts("fields", association.fields)) }
        if let name = association.indexOrRelationName { arguments.append(text("indexOrRelationName", name)) }
        if association.isRequired { arguments.append(.text("isRequired: true")) }
        if let limit = association.limit { arguments.append(.text("limit: \(limit)")) }
        if !association.directives.isEmpty { arguments.append(texts("directives", association.directives)) }
        if let documentation = association.documentation {
            arguments.append(.labelled("documentation", .prose(documentation)))
        }
        return .call(run.tidelog("Association"), arguments)
    }

    private func type(_ type: FieldType) -> String {
        switch type {
        case .id: ".id"
        case .string: ".string"
        case .int: ".int"
        case .double: ".double"
        case .bool: ".bool"
        case .date: ".date"
        case .time: ".time"
        case .dateTime: ".dateTime"
        case .timestamp: ".timestamp"
        case .enumeration(let name): ".enumeration(\(SwiftWords.literal(name)))"
        case .embedded(let name): ".embedded(\(SwiftWords.literal(name)))"
        case .list(let element, let elementIsRequired):
            ".list(\(self.type(element)), elementIsRequired: \(elementIsRequired))"
        }
    }

    // MARK: Values

    private func value(_ value: FieldValue) -> SourceText.Expression {
        switch value {
        case .string(let text): .call(".string", texts: [SwiftWords.literal(text)])
        case .int(let number): .call(".int", texts: ["\(number)"])
        case .double(let number): .call(".double", texts: ["\(number)"])
        case .bool(let flag): .call(".bool", texts: ["\(flag)"])
        case .date(let date): .call(".date", [temporal("Date", date)])
        case .time(let time): .call(".time", [temporal("Time", time)])
        case .dateTime(let dateTime): .call(".dateTime", [temporal("DateTime", dateTime)])
        case .embedded(let fields):
            .call(
                ".embedded",
                [
                    .array(
                        fields.sorted { $0.key < $1.key }
                            .map { .labelled(SwiftWords.literal($0.key), self.value($0.value)) })
                ])
        case .list(let elements):
            .call(".list", [.array(elements.map { $0.map { self.value($0) } ?? .text("nil") })])
        }
    }

    /// A temporal value that is not parsed at run time.
    func temporal(_ kind: String, _ value: some TemporalText) -> SourceText.Expression {
        let temporal = run.tidelog("Temporal")
        var instant = ["seconds: \(value.instant.seconds)"]
        if value.instant.nanoseconds != 0 { instant.append("nanoseconds: \(value.instant.nanoseconds)") }
        return .call(
            "\(temporal).\(kind)",
            [text("uncheckedText", value.text), .labelled("instant", .call("\(temporal).Instant", texts: instant))])
    }

    private func text(_ label: String, _ text: String) -> SourceText.Expression {
        .labelled(label, .text(SwiftWords.literal(text)))
    }

    private func texts(_ label: String, _ texts: [String]) -> SourceText.Expression {
        .labelled(label, .array(texts.map { .text(SwiftWords.literal($0)) }))
    }
}

extension GeneratorRun {
    /// The extension that declares the schema itself.
    var schemaDeclaration: Declaration {
        var text = SourceText()
        let literals = SchemaLiterals(self)
        var arguments: [SourceText.Expression] = [
            .labelled("models", .array(schema.models.map { .text("\(type($0.name).quoted).schema") }))
        ]
        if !schema.embeddedTypes.isEmpty {
            arguments.append(
                .labelled(
                    "embeddedTypes", .array(schema.embeddedTypes.map { .text("\(type($0.name).quoted).schema") })))
        }
        if !schema.enums.isEmpty {
            arguments.append(.labelled("enums", .array(schema.enums.map { literals.enumeration($0) })))
        }
        let name = SwiftName(options.schemaName, besides: [])
        text.block("extension \(tidelog("Schema"))") { text in
            text.document("All models of \(options.schemaFile).")
            text.write(.call(tidelog("Schema"), arguments), prefix: "\(access)static let \(name.quoted) = ")
        }
        return Declaration(
            text, fileName: "Schema+\(Names.upperFirst(options.schemaName))",
            isConventional: name.isLowerCamelCase)
    }
}
