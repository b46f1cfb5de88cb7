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
    private var suggestions = RuleViolation.Suggestions()

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
                message: message + RuleViolation.Suggestions.question(suggestion),
                locations: spans.map { document.location(of: $0) })
            error.violation = RuleViolation(
                kind: kind, names: names, path: path ?? self.path, value: value, suggestion: suggestion)
            errors.append(error)
        }
    }

    /// The candidate that is most similar to the unknown `name`.
    mutating func suggestion(for name: String, among candidates: @autoclosure () -> [String]) -> String? {
        suggestions.suggestion(for: name, among: candidates())
    }

    /// The contents of a definition that later rules check.
    struct DefinitionContents {
        /// A use of a variable.
        struct VariableUsage {
            let variable: Value.Variable
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
        var spreads: [SelectionSet.FragmentSpread] = []
    }
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

// MARK: - Definitions

/// Rules for whole definitions: §5.1, §5.2, and the first rule of §5.5.
extension Validator {
    /// Checks that all definitions are executable, that names are unique, and that an anonymous operation is the only one.
    mutating func checkDefinitions() {
        var operations: [String: Name] = [:]
        var fragments: [String: Name] = [:]
        let isAlone = document.document.operations.count == 1
        for definition in document.document.definitions {
            switch definition {
            case .operation(let operation):
                if let name = operation.name {
                    checkUnique(name, .duplicateOperationName, among: &operations) {
                        "There can be only one operation named \"\($0)\"."
                    }
                } else if !isAlone {
                    report(
                        .loneAnonymousOperationViolation,
                        "This anonymous operation must be the only defined operation.",
                        [operation.span])
                }
            case .fragment(let fragment):
                checkUnique(fragment.name, .duplicateFragmentName, among: &fragments) {
                    "There can be only one fragment named \"\($0)\"."
                }
            case .schema, .schemaExtension:
                report(.nonExecutableDefinition, "The schema definition is not executable.", [definition.span])
            case .type(let type), .typeExtension(let type):
                report(
                    .nonExecutableDefinition, "The \"\(type.name.value)\" definition is not executable.",
                    [definition.span])
            case .directive(let directive):
                report(
                    .nonExecutableDefinition, "The \"\(directive.name.value)\" definition is not executable.",
                    [definition.span])
            }
        }
    }

    /// Checks that the same name did not occur before.
    mutating func checkUnique(
        _ name: Name, _ kind: RuleViolation.Kind, among known: inout [String: Name], _ message: (String) -> String
    ) {
        if let first = known[name.value] {
            report(kind, message(name.value), [first.span, name.span])
        } else {
            known[name.value] = name
        }
    }

    /// Checks an operation with all of its contents.
    mutating func check(_ operation: OperationDefinition) {
        let root = typeSystem.rootType(operation.operation)
        if root == nil {
            report(
                .unknownOperation, "The \(operation.operation.rawValue) operation is not supported by the schema.",
                [operation.span])
        }
        checkVariableDefinitions(operation.variables)
        checkDirectives(operation.directives, at: operation.operation.location)
        if operation.operation == .subscription, let root { checkSubscription(operation, root) }
        check(operation.selectionSet, of: root)
    }

    /// Checks that a subscription selects exactly one field, which is not an introspection field (§5.2.3.1).
    private mutating func checkSubscription(_ operation: OperationDefinition, _ root: DeclaredType) {
        var groups = ResponseGroups(root: root, typeSystem: typeSystem, fragments: document.fragments)
        groups.collect(operation.selectionSet)
        let subject = operation.name.map { "Subscription \"\($0.value)\"" } ?? "Anonymous Subscription"
        let spans = groups.names.map { name in groups.fields[name, default: []].map(\.span) }
        if spans.count > 1 {
            report(
                .subscriptionMultipleRootFields, "\(subject) must select only one top level field.",
                spans.dropFirst().flatMap { $0 })
        }
        for name in groups.names {
            guard let field = groups.fields[name]?.first, field.name.value.hasPrefix("__") else { continue }
            report(
                .subscriptionIntrospectionRootField,
                "\(subject) must not select an introspection top level field.",
                groups.fields[name, default: []].map(\.span))
        }
    }
}

/// The fields that a selection set selects from its root type, by response name. The values of variables do not matter.
private struct ResponseGroups {
    let root: DeclaredType
    let typeSystem: TypeSystem
    let fragments: [String: FragmentDefinition]
    private(set) var names: [String] = []
    private(set) var fields: [String: [Field]] = [:]
    private var spread: Set<String> = []

    init(root: DeclaredType, typeSystem: TypeSystem, fragments: [String: FragmentDefinition]) {
        self.root = root
        self.typeSystem = typeSystem
        self.fragments = fragments
    }

    mutating func collect(_ set: SelectionSet) {
        for selection in set.selections where !selection.directives.excludeByLiteral {
            switch selection {
            case .field(let field):
                if fields[field.responseName] == nil { names.append(field.responseName) }
                fields[field.responseName, default: []].append(field)
            case .inlineFragment(let fragment):
                if applies(fragment.typeCondition) { collect(fragment.selectionSet) }
            case .fragmentSpread(let node):
                guard spread.insert(node.name.value).inserted, let fragment = fragments[node.name.value],
                    applies(fragment.typeCondition)
                else { continue }
                collect(fragment.selectionSet)
            }
        }
    }

    private func applies(_ condition: Name?) -> Bool {
        guard let condition else { return true }
        guard let type = typeSystem.type(condition.value) else { return false }
        return type.possibleTypes.contains(root.number)
    }
}

extension SelectionSet.Selection {
    /// The directives, in order.
    var directives: [Directive] {
        switch self {
        case .field(let selection): selection.directives
        case .fragmentSpread(let selection): selection.directives
        case .inlineFragment(let selection): selection.directives
        }
    }
}

extension [Directive] {
    /// Whether the directives contain `@skip(if: true)` or `@include(if: false)`.
    fileprivate var excludeByLiteral: Bool {
        first(named: "skip")?.arguments["if"]?.boolean == true
            || first(named: "include")?.arguments["if"]?.boolean == false
    }
}

extension OperationType {
    /// The location of directives on operations of this kind.
    fileprivate var location: DirectiveDefinition.Location {
        switch self {
        case .query: .query
        case .mutation: .mutation
        case .subscription: .subscription
        }
    }
}
