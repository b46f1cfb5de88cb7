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

    private func applies(_ condition: NamedType?) -> Bool {
        guard let condition else { return true }
        guard let type = typeSystem.type(condition.name.value) else { return false }
        return type.possibleTypes.contains(root.number)
    }
}

extension Selection {
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
    fileprivate var location: DirectiveLocation {
        switch self {
        case .query: .query
        case .mutation: .mutation
        case .subscription: .subscription
        }
    }
}
