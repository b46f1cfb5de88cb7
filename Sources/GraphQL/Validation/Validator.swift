/// Validates an executable document by the rules of §5. It walks over all definitions once, and then checks what the walk
/// collected.
struct Validator {
    let document: RequestDocument
    let typeSystem: TypeSystem
    let options: ValidationOptions
    /// The contents of each fragment that the walk has collected.
    var fragmentContents: [String: DefinitionContents] = [:]
    /// The contents of each operation that the walk has collected, in order.
    var operationContents: [DefinitionContents] = []
    /// The contents of the definition that is being walked.
    var contents = DefinitionContents()
    /// The path of the walk: the response names of fields, after the name of the fragment.
    var path: [String] = []
    /// The argument whose value is being checked, and the fields and indexes to the checked part of it.
    var argumentPath: [GraphQLError.PathElement] = []
    private(set) var errors: [GraphQLError] = []
    private var suggestions = RequestSuggestions()

    init(document: RequestDocument, typeSystem: TypeSystem, options: ValidationOptions) {
        self.document = document
        self.typeSystem = typeSystem
        self.options = options
    }

    /// Checks everything except the limits. `deepIntrospections` are the introspection fields that the limit check has found.
    mutating func run(deepIntrospections: [Field]) {
        precondition(operationContents.isEmpty && fragmentContents.isEmpty, "a validator runs once")
        checkDefinitions()
        for definition in document.document.definitions {
            contents = DefinitionContents()
            switch definition {
            case .operation(let operation):
                path = []
                check(operation)
                operationContents.append(contents)
            case .fragment(let fragment):
                path = [fragment.name.value]
                check(fragment)
                fragmentContents[fragment.name.value] = contents
            default: break
            }
        }
        path = []
        assert(errors.count <= options.errorLimit + 1, "one error follows the limit: that it was reached")
        for field in deepIntrospections {
            report(.maximumIntrospectionDepth, "Maximum introspection depth exceeded", [field.span])
        }
        checkFragments()
        checkVariables()
        checkOverlaps()
    }

    /// Adds an error, unless there are too many already.
    ///
    /// - Parameters:
    ///   - names: The value of ``RuleViolation/names``.
    ///   - path: The value of ``RuleViolation/path``; `nil` for the current path of the walk.
    ///   - value: The value of ``RuleViolation/value``.
    ///   - suggestion: The value of ``RuleViolation/suggestion``, which also ends the message.
    mutating func report(
        _ kind: RuleViolation.Kind, _ message: String, _ spans: [SourceSpan], names: [String] = [],
        path: [String]? = nil, value: WrongValue? = nil, suggestion: String? = nil
    ) {
        guard errors.count <= options.errorLimit else { return }
        if errors.count == options.errorLimit {
            errors.append(
                GraphQLError(message: "Too many validation errors, error limit reached. Validation aborted."))
        } else {
            var error = GraphQLError(
                message: message + RequestSuggestions.question(suggestion),
                locations: spans.map { document.location(of: $0) })
            error.violation = RuleViolation(
                kind, names: names, path: path ?? self.path, value: value, suggestion: suggestion)
            errors.append(error)
        }
    }

    /// The candidate that is most similar to the unknown `name`.
    mutating func suggestion(for name: String, among candidates: @autoclosure () -> [String]) -> String? {
        suggestions.suggestion(for: name, among: candidates())
    }
}

/// The contents of a definition that later rules check.
struct DefinitionContents {
    /// A use of a variable.
    struct VariableUsage {
        let variable: Variable
        /// The expected type at this place; `nil` if the place itself is wrong.
        let type: ResolvedType?
        /// Whether the place has a default value.
        let hasDefault: Bool
        /// The input object type at this place, if it requires exactly one field.
        let oneOf: DeclaredType?
        /// The response names of the surrounding fields.
        let path: [String]
    }

    var usages: [VariableUsage] = []
    var spreads: [FragmentSpread] = []
}

extension RequestDocument {
    /// All errors of this document as a request to a service (§5). The document may be executed if there are none.
    package func validate(
        against typeSystem: TypeSystem, options: ValidationOptions = ValidationOptions()
    ) -> [GraphQLError] {
        var limits = LimitCheck(document: self, options: options)
        let excess = limits.run()
        guard excess.isEmpty else { return excess }
        var validator = Validator(document: self, typeSystem: typeSystem, options: options)
        validator.run(deepIntrospections: limits.deepIntrospections)
        return validator.errors
    }
}
