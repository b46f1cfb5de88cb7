internal import TidelogGraphQL
internal import TidelogSchema
internal import TidelogSuggestion

extension Lowering {
    /// The field of a row that `field` declares. The field must not be a relation.
    func rowField(_ field: FieldDefinition, of owner: String) throws(SchemaDiagnostic) -> FieldSchema {
        if let argument = field.arguments.first {
            throw failure("\(owner).\(field.name.value) is stored, so it takes no arguments", argument.span)
        }
        let type = try fieldType(field.type)
        let scalar = field.type.innermost.value
        return FieldSchema(
            field.name.value, type, isRequired: field.type.isNonNull, directives: kept(field.directives),
            scalar: Vocabulary.textScalars.contains(scalar) ? scalar : nil, documentation: field.description?.value)
    }

    /// The type of `reference`, without the information whether a value is required.
    func fieldType(_ reference: TypeReference) throws(SchemaDiagnostic) -> FieldType {
        if let element = reference.listElement {
            return .list(try fieldType(element), elementIsRequired: element.isNonNull)
        }
        let name = reference.innermost
        if let scalar = Vocabulary.scalars[name.value] { return scalar }
        switch types[name.value]?.kind {
        case .enum: return .enumeration(name.value)
        case .object: return .embedded(name.value)
        case .scalar:
            throw failure("\(name.value) is a scalar of your own, which no server of this kind takes", name.span)
        case .interface, .union: throw failure("\(name.value) is abstract and cannot be stored", name.span)
        case .inputObject: throw failure("\(name.value) is an input, not a type of values", name.span)
        case nil: throw unknownType(name)
        }
    }

    func unknownType(_ name: Name) -> SchemaDiagnostic {
        let guess =
            Vocabulary.otherNames[name.value].map { "did you mean \"\($0)\"?" }
            ?? Suggestion.didYouMean(name.value, among: types.keys.sorted() + Vocabulary.scalars.keys.sorted())
        return failure("unknown type \(name.value)", name.span, guess)
    }

    /// The value of `@default` for `field`.
    func defaultValue(_ directive: Directive, of field: FieldSchema) throws(SchemaDiagnostic) -> FieldValue {
        guard let (text, span) = try text("value", of: directive) else {
            throw failure("@default needs \"value\"", directive.span)
        }
        if let scalar = field.scalar.flatMap(TextScalar.init), !scalar.admits(text), field.type == .string {
            throw failure("the default is no \(scalar.rawValue)", span)
        }
        if let value = parsed(text, as: field.type) { return value }
        switch field.type {
        case .embedded, .list: throw failure("only a field with one scalar or enum value has a default", directive.span)
        case .enumeration(let name):
            let cases = cases[name, default: []].sorted()
            throw failure(
                "the default is no case of \(name) (\(cases.joined(separator: ", ")))", span,
                Suggestion.didYouMean(text, among: cases))
        default: throw failure("the default is no \(field.type.sdl)", span)
        }
    }

    private func parsed(_ text: String, as type: FieldType) -> FieldValue? {
        switch type {
        case .id, .string: .string(text)
        case .int, .timestamp: Int64(text).map { .int($0) }
        case .double: Double(text).flatMap { $0.isFinite ? .double($0 == 0 ? 0 : $0) : nil }
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .date: (try? Temporal.Date(text)).map { .date($0) }
        case .time: (try? Temporal.Time(text)).map { .time($0) }
        case .dateTime: (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case .enumeration(let name): cases[name]?.contains(text) ?? false ? .string(text) : nil
        case .embedded, .list: nil
        }
    }
}

// MARK: - Embedded types

extension Lowering {
    /// The embedded types: all object types that are not models and that a row can contain. A type that no row can contain is
    /// left out, unless a model uses it, which is an error.
    func lowerEmbeddedTypes() throws(SchemaDiagnostic) -> [EmbeddedSchema] {
        let used = usedTypes()
        var embedded: [EmbeddedSchema] = []
        for type in objectTypes where !isModel(type.name.value) {
            if !used.contains(type.name.value), !isStorable(type) { continue }
            var fields: [FieldSchema] = []
            var names = Set<String>()
            for field in type.fields {
                try check(name: field.name)
                guard names.insert(field.name.value).inserted else {
                    throw failure("the field \(type.name.value).\(field.name.value) is declared twice", field.name.span)
                }
                if isModel(field.type.innermost.value) {
                    throw failure(
                        "\(type.name.value) is stored inside records and cannot refer to the model "
                            + field.type.innermost.value, field.type.span)
                }
                fields.append(try rowField(field, of: type.name.value))
            }
            embedded.append(
                EmbeddedSchema(name: type.name.value, fields: fields, documentation: type.description?.value))
        }
        try checkEnds(embedded)
        return embedded
    }

    /// Checks that every value is finite: no embedded type may require a value of itself inside itself.
    private func checkEnds(_ embedded: [EmbeddedSchema]) throws(SchemaDiagnostic) {
        let circles = EmbeddedCircles(embedded) { $0.isRequired }
        for type in objectTypes where !isModel(type.name.value) {
            for field in type.fields where field.type.isNonNull && field.type.listElement == nil {
                let target = field.type.innermost.value
                guard circles.isCircular(type.name.value, holding: target) else { continue }
                throw failure(
                    "every \(type.name.value) would have another \(type.name.value) in it, without end",
                    field.type.span,
                    "make \"\(field.name.value)\" optional, or a list")
            }
        }
    }

    /// The names of the embedded types that rows contain.
    private func usedTypes() -> Set<String> {
        var used = Set<String>()
        var waiting = models.flatMap { $0.definition?.fields ?? [] }
        while let field = waiting.popLast() {
            let name = field.type.innermost.value
            guard let type = types[name], type.kind == .object, !isModel(name), used.insert(name).inserted else {
                continue
            }
            waiting += type.fields
        }
        return used
    }

    /// Whether a row can contain a value of `type`. At any depth, it must contain no model, no abstract type and no computed
    /// field.
    private func isStorable(_ type: TypeDefinition) -> Bool {
        var seen: Set<String> = [type.name.value]
        var waiting = type.fields
        while let field = waiting.popLast() {
            guard field.arguments.isEmpty else { return false }
            let name = field.type.innermost.value
            guard let type = types[name] else { continue }
            switch type.kind {
            case .object:
                if isModel(name) { return false }
                if seen.insert(name).inserted { waiting += type.fields }
            case .scalar, .interface, .union: return false
            case .enum, .inputObject: break
            }
        }
        return true
    }
}
