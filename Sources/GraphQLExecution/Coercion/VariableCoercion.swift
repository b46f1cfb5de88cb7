/// Coerces the values of variables to the types that an operation declares (§6.1.2), and collects the errors.
struct VariableCoercion {
    let typeSystem: TypeSystem
    let document: RequestDocument
    private(set) var values: [String: InputValue] = [:]
    private(set) var errors: [GraphQLError] = []
    private var suggestions = RuleViolation.Suggestions()
    /// The largest number of errors that are collected.
    private static let errorLimit = 50
    /// The limit of nesting of lists and objects. Deeper values are refused, so that coercion needs little stack, and so that
    /// arguments do not nest more deeply than JSON may.
    private static let depthLimit = 90

    init(typeSystem: TypeSystem, document: RequestDocument) {
        self.typeSystem = typeSystem
        self.document = document
    }

    /// Coerces one variable. A variable that is not given gets its default value, if there is one.
    mutating func coerce(_ definition: VariableDefinition, _ given: InputValue?) {
        let name = definition.variable.name.value
        guard let type = typeSystem.resolved(definition.type), typeSystem.innermost(type).isInput else {
            return report(
                "Variable \"$\(name)\" expected value of type \"\(definition.type.printed())\" which cannot be used "
                    + "as an input type.", definition.type.span)
        }
        guard let given else {
            if let literal = definition.defaultValue {
                values[name] = typeSystem.coerced(literal, to: type, variables: [:])
            } else if type.isNonNull {
                report(
                    "Variable \"$\(name)\" of required type \"\(typeSystem.text(type))\" was not provided.",
                    definition.span, RuleViolation(kind: .nullVariable, names: [name, typeSystem.text(type)]))
            }
            return
        }
        if given.isNull, type.isNonNull {
            return report(
                "Variable \"$\(name)\" of non-null type \"\(typeSystem.text(type))\" must not be null.",
                definition.span, RuleViolation(kind: .nullVariable, names: [name, typeSystem.text(type)]))
        }
        var place = Place(definition: definition)
        values[name] = coerced(given, to: type, &place)
    }

    /// The position of the coercion in the value of a variable.
    private struct Place {
        let definition: VariableDefinition
        var path = ""
        var depth = 0

        /// The name of the innermost field at this position, or the name of the variable.
        var name: String {
            guard let dot = path.lastIndex(of: ".") else { return definition.variable.name.value }
            return String(path[path.index(after: dot)...].prefix { $0 != "[" })
        }
    }

    private mutating func report(_ message: String, _ span: SourceSpan, _ violation: RuleViolation? = nil) {
        guard errors.count <= Self.errorLimit else { return }
        let isLast = errors.count == Self.errorLimit
        let tooMany = "Too many errors processing variables, error limit reached. Execution aborted."
        var error = GraphQLError(
            message: isLast ? tooMany : message + RuleViolation.Suggestions.question(violation?.suggestion),
            locations: isLast ? [] : [document.location(of: span)])
        if !isLast { error.violation = violation }
        errors.append(error)
    }

    private mutating func report(
        _ reason: String, _ value: InputValue, _ place: Place, violation: RuleViolation? = nil
    ) {
        let name = place.definition.variable.name.value
        let at = place.path.isEmpty ? "" : " at \"\(name)\(place.path)\""
        report(
            "Variable \"$\(name)\" got invalid value \(value.shortText)\(at); \(reason)", place.definition.span,
            violation)
    }

    /// Reports that `value` does not fit `type`.
    private mutating func report(
        _ reason: String, _ value: InputValue, _ place: Place, wrong mistake: WrongValue.Mistake, type: DeclaredType,
        suggestion: String? = nil
    ) {
        let wrong = WrongValue(.input(value), mistake, type: type.name, place: place.name)
        let violation = RuleViolation(kind: .wrongVariable, value: wrong, suggestion: suggestion)
        report(reason, value, place, violation: violation)
    }

    private mutating func coerced(_ value: InputValue, to type: ResolvedType, _ place: inout Place) -> InputValue {
        if errors.count > Self.errorLimit { return .null }
        if case .nonNull(let inner) = type {
            if !value.isNull { return coerced(value, to: inner, &place) }
            report(
                "Expected non-nullable type \"\(typeSystem.text(type))\" not to be null.", value, place,
                violation: RuleViolation(kind: .nullVariable, names: [place.name, typeSystem.text(type)]))
            return .null
        }
        if value.isNull { return .null }
        guard place.depth < Self.depthLimit else {
            report("Variable values are nested too deeply.", place.definition.span)
            return .null
        }
        place.depth += 1
        defer { place.depth -= 1 }
        if case .list(let element) = type { return coerced(list: value, of: element, &place) }
        let named = typeSystem.innermost(type)
        if named.kind == .inputObject { return coerced(object: value, to: named, &place) }
        do {
            return try typeSystem.coerced(leaf: value, to: named)
        } catch {
            let message =
                switch error {
                case .sentence(let message): message
                case .reason(let reason): "Expected type \"\(named.name)\". \(reason)"
                }
            var guess: String?
            if named.kind == .enum, case .string(let text) = value {
                guess = suggestions.suggestion(for: text, among: named.enumValues.map(\.name.value))
            }
            report(message, value, place, wrong: .leaf(isEnum: named.kind == .enum), type: named, suggestion: guess)
            return .null
        }
    }

    private mutating func coerced(
        list value: InputValue, of element: ResolvedType, _ place: inout Place
    ) -> InputValue {
        guard case .list(let elements) = value else { return .list([coerced(value, to: element, &place)]) }
        let path = place.path
        var values: [InputValue] = []
        values.reserveCapacity(elements.count)
        for (index, inner) in elements.enumerated() {
            place.path = "\(path)[\(index)]"
            values.append(coerced(inner, to: element, &place))
        }
        place.path = path
        return .list(values)
    }

    private mutating func coerced(
        object value: InputValue, to type: DeclaredType, _ place: inout Place
    ) -> InputValue {
        guard case .object(let given) = value else {
            report("Expected type \"\(type.name)\" to be an object.", value, place, wrong: .noObject, type: type)
            return .null
        }
        let members = MembersByName(given)
        let path = place.path
        var object = InputObject()
        for field in type.inputFields {
            if let member = members[field.name] {
                place.path = "\(path).\(field.name)"
                object.members.append(.init(name: field.name, value: coerced(member, to: field.type, &place)))
                place.path = path
            } else if let literal = field.defaultValue {
                let value = typeSystem.coerced(literal, to: field.type, variables: [:])
                object.members.append(.init(name: field.name, value: value ?? .null))
            } else if field.type.isNonNull {
                report(
                    "Field \"\(field.name)\" of required type \"\(typeSystem.text(field.type))\" was not provided.",
                    value, place,
                    violation: RuleViolation(kind: .nullVariable, names: [field.name, typeSystem.text(field.type)]))
            }
        }
        for member in given.members where type.inputField(member.name) == nil {
            if errors.count > Self.errorLimit { break }
            let name = member.name.prefix(100)
            let guess = suggestions.suggestion(for: member.name, among: type.inputFields.map(\.name))
            report(
                "Field \"\(name)\" is not defined by type \"\(type.name)\".", value, place,
                violation: RuleViolation(
                    kind: .undefinedVariableField, names: [String(name), type.name], suggestion: guess))
        }
        if type.isOneOf { checkOneOf(object, given: members, as: type, value: value, at: place) }
        return .object(object)
    }

    private mutating func checkOneOf(
        _ object: InputObject, given: MembersByName, as type: DeclaredType, value: InputValue, at place: Place
    ) {
        guard object.members.count == 1, let only = object.members.first else {
            return report("Exactly one key must be specified for OneOf type \"\(type.name)\".", value, place)
        }
        guard given[only.name]?.isNull ?? false else { return }
        var inner = place
        inner.path += ".\(only.name)"
        report("Field \"\(only.name)\" must be non-null.", .null, inner)
    }
}

/// The members of an object from a client, by name. If two members have the same name, the first one counts.
private struct MembersByName {
    /// Up to this number of members, comparing each name is faster than a dictionary.
    private static let few = 16

    private let object: InputObject
    /// The values by name, if there are many members.
    private let values: [ExactText: InputValue]

    init(_ object: InputObject) {
        self.object = object
        values =
            object.members.count <= Self.few
            ? [:] : Dictionary(object.members.map { (ExactText($0.name), $0.value) }) { first, _ in first }
    }

    subscript(name: String) -> InputValue? {
        object.members.count <= Self.few ? object[name] : values[ExactText(name)]
    }
}
