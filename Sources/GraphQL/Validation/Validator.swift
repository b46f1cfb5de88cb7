/// Checks an executable document by the rules of §5, in one walk over its definitions and a few looks at what the walk saw.
struct Validator {
    let document: RequestDocument
    let typeSystem: TypeSystem
    let options: ValidationOptions
    /// The fragments by name; of several with one name the last.
    let fragments: [String: FragmentDefinition]
    /// What the walk saw in each fragment.
    var fragmentContents: [String: DefinitionContents] = [:]
    /// What the walk saw in each operation, in order.
    var operationContents: [DefinitionContents] = []
    /// What the walk sees in the definition that it is in.
    var contents = DefinitionContents()
    /// Where the walk is: the response names of fields, behind the name of the fragment.
    var path: [String] = []
    private(set) var errors: [GraphQLError] = []
    private var suggestionCount = 0

    init(document: RequestDocument, typeSystem: TypeSystem, options: ValidationOptions) {
        self.document = document
        self.typeSystem = typeSystem
        self.options = options
        fragments = Dictionary(document.document.fragments.map { ($0.name.value, $0) }) { _, last in last }
    }

    /// Checks everything but the limits; `deepIntrospections` is what they found of introspection.
    mutating func run(deepIntrospections: [Field]) {
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
        for field in deepIntrospections {
            report(.maximumIntrospectionDepth, "Maximum introspection depth exceeded", [field.span])
        }
        checkFragments()
        checkVariables()
        checkOverlaps()
    }

    /// Adds an error, unless there are too many.
    ///
    /// - Parameters:
    ///   - names: As ``RuleViolation/names``.
    ///   - path: As ``RuleViolation/path``; `nil` for where the walk is.
    mutating func report(
        _ kind: RuleViolation.Kind, _ message: String, _ spans: [SourceSpan], names: [String] = [],
        path: [String]? = nil
    ) {
        guard errors.count <= options.errorLimit else { return }
        if errors.count == options.errorLimit {
            errors.append(
                GraphQLError(message: "Too many validation errors, error limit reached. Validation aborted."))
        } else {
            var error = GraphQLError(message: message, locations: spans.map { document.location(of: $0) })
            error.violation = RuleViolation(kind, names: names, path: path ?? self.path)
            errors.append(error)
        }
    }

    /// ` Did you mean "…"?` for the first few unknown names among not too many; else nothing.
    mutating func suggestion(for name: String, among candidates: @autoclosure () -> [String]) -> String {
        guard suggestionCount < 5 else { return "" }
        suggestionCount += 1
        let candidates = candidates()
        guard candidates.count <= 500, let text = Suggestion.didYouMean(name, among: candidates) else { return "" }
        return " D\(text.dropFirst())"
    }
}

/// What a definition contains that rules ask about later.
struct DefinitionContents {
    /// A place where a variable is used.
    struct VariableUsage {
        let variable: Variable
        /// The type that is expected there; nil if the place is wrong itself.
        let type: ResolvedType?
        /// Whether the place has a default value.
        let hasDefault: Bool
        /// The input object type of the place, if it takes exactly one field.
        let oneOf: DeclaredType?
        /// The response names of the fields around it.
        let path: [String]
    }

    var usages: [VariableUsage] = []
    var spreads: [FragmentSpread] = []
}
