internal import TidelogSynchronization

/// Plans the selections of one operation: the fields that are selected from each object type, and their arguments (§6.3.2,
/// §6.4.1).
final class SelectionPlanner: Sendable {
    let typeSystem: TypeSystem
    let document: RequestDocument
    let variables: [String: InputValue]
    private let fragments: [String: FragmentDefinition]
    /// The plans of selections that are a single fragment, by the fragment's name and the number of the object type. A document
    /// with many changes has such a selection in each field.
    private let planned = Mutex<[PlannedFragment: ObjectSelection]>([:])

    private struct PlannedFragment: Hashable {
        let name: String
        let type: Int
    }

    init(typeSystem: TypeSystem, document: RequestDocument, variables: [String: InputValue]) {
        self.typeSystem = typeSystem
        self.document = document
        self.variables = variables
        fragments = document.fragments
    }

    /// The merged selection of several selection sets.
    func plan(_ sets: [SelectionSet], of type: DeclaredType) throws(GraphQLError) -> ObjectSelection {
        guard let name = sets.onlyFragment else { return try newPlan(sets, of: type) }
        let fragment = PlannedFragment(name: name, type: type.number)
        if let known = planned.withLock({ $0[fragment] }) { return known }
        let plan = try newPlan(sets, of: type)
        planned.withLock { $0[fragment] = plan }
        return plan
    }

    private func newPlan(_ sets: [SelectionSet], of type: DeclaredType) throws(GraphQLError) -> ObjectSelection {
        var collection = Collection()
        for set in sets { try collect(set, of: type, into: &collection) }
        var fields: [SelectedField] = []
        fields.reserveCapacity(collection.nodes.count)
        for nodes in collection.nodes {
            guard let node = nodes.first, let declared = typeSystem.field(node.name.value, of: type) else { continue }
            let (arguments, error) = self.arguments(of: node, declared.arguments)
            fields.append(
                SelectedField(
                    nodes: nodes, declared: declared, parent: type, arguments: arguments, argumentError: error,
                    planner: self))
        }
        return ObjectSelection(type: type, fields: fields)
    }

    // MARK: Collecting

    /// The fields of a selection, in the order of the response. Fields with the same response name are grouped.
    private struct Collection {
        /// Up to this number of names, comparing each name is faster than a dictionary.
        private static let few = 16

        private(set) var nodes: [[Field]] = []
        var spread: Set<String> = []
        private var names: [String] = []
        /// The positions of the names, if there are many names.
        private var places: [String: Int] = [:]

        mutating func add(_ field: Field) {
            let name = field.responseName
            if let place = names.count > Self.few ? places[name] : names.firstIndex(of: name) {
                nodes[place].append(field)
                return
            }
            names.append(name)
            nodes.append([field])
            if names.count == Self.few + 1 {
                for (place, name) in names.enumerated() { places[name] = place }
            } else if names.count > Self.few {
                places[name] = names.count - 1
            }
        }
    }

    private func collect(
        _ set: SelectionSet, of type: DeclaredType, into collection: inout Collection
    ) throws(GraphQLError) {
        for selection in set.selections where try includes(selection.directives) {
            switch selection {
            case .field(let field): collection.add(field)
            case .inlineFragment(let fragment):
                guard applies(fragment.typeCondition, to: type) else { continue }
                try collect(fragment.selectionSet, of: type, into: &collection)
            case .fragmentSpread(let node):
                guard collection.spread.insert(node.name.value).inserted, let fragment = fragments[node.name.value],
                    applies(fragment.typeCondition, to: type)
                else { continue }
                try collect(fragment.selectionSet, of: type, into: &collection)
            }
        }
    }

    private func applies(_ condition: Name?, to type: DeclaredType) -> Bool {
        guard let condition else { return true }
        if condition.value == type.name { return true }
        guard let named = typeSystem.type(condition.value), named.isAbstract else { return false }
        return named.possibleTypes.contains(type.number)
    }

    /// Whether `@skip` and `@include` include a selection (§3.13.1, §3.13.2).
    private func includes(_ directives: [Directive]) throws(GraphQLError) -> Bool {
        if directives.isEmpty { return true }
        if let skip = directives.first(named: "skip"), try condition(skip) { return false }
        if let include = directives.first(named: "include"), try !condition(include) { return false }
        return true
    }

    private func condition(_ directive: Directive) throws(GraphQLError) -> Bool {
        let declared = typeSystem.directive(directive.name.value)?.arguments ?? []
        let (arguments, error) = coerced(directive.arguments, declared, owner: directive.span)
        if let error { throw error }
        return arguments["if"] == .bool(true)
    }

    // MARK: Arguments

    private func arguments(of field: Field, _ declared: [DeclaredInput]) -> (InputObject, GraphQLError?) {
        declared.isEmpty ? (InputObject(), nil) : coerced(field.arguments, declared, owner: field.span)
    }

    private func coerced(
        _ given: [Argument], _ declared: [DeclaredInput], owner: SourceSpan
    ) -> (InputObject, GraphQLError?) {
        var arguments = InputObject()
        for input in declared {
            let argument = given.first(named: input.name)
            var literal = argument?.value
            if let name = literal?.variableName, variables[name] == nil { literal = nil }
            guard let literal = literal ?? input.defaultValue else {
                if input.type.isNonNull { return ([:], missing(input, argument, owner)) }
                continue
            }
            guard let value = typeSystem.coerced(literal, to: input.type, variables: variables) else {
                return ([:], invalid(input, literal))
            }
            arguments.members.append(.init(name: input.name, value: value))
        }
        return (arguments, nil)
    }

    private func missing(_ input: DeclaredInput, _ argument: Argument?, _ owner: SourceSpan) -> GraphQLError {
        let subject = "Argument \"\(input.name)\" of required type \"\(typeSystem.text(input.type))\" was "
        guard let argument, let name = argument.value.variableName else {
            return GraphQLError(message: subject + "not provided.", locations: [document.location(of: owner)])
        }
        return GraphQLError(
            message: subject + "provided the variable \"$\(name)\" which was not provided a runtime value.",
            locations: [document.location(of: argument.value.span)])
    }

    private func invalid(_ input: DeclaredInput, _ literal: Value) -> GraphQLError {
        let value = literal.variableName.flatMap { variables[$0] }
        let isNull = literal.isNull || value == .null
        let message =
            isNull && input.type.isNonNull
            ? "Argument \"\(input.name)\" of non-null type \"\(typeSystem.text(input.type))\" must not be null."
            : "Argument \"\(input.name)\" has invalid value \(literal.shortText)."
        return GraphQLError(message: message, locations: [document.location(of: literal.span)])
    }
}

extension [SelectionSet] {
    /// The name of the fragment if the selection is one spread of a fragment without directives; otherwise `nil`.
    fileprivate var onlyFragment: String? {
        guard count == 1, self[0].selections.count == 1, case .fragmentSpread(let spread) = self[0].selections[0],
            spread.directives.isEmpty
        else { return nil }
        return spread.name.value
    }
}
