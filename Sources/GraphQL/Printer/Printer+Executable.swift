extension Printer {
    mutating func operation(_ node: OperationDefinition) {
        description(node.description)
        let isShorthand =
            allowsShorthand && node.operation == .query && node.description == nil && node.name == nil
            && node.variables.isEmpty && node.directives.isEmpty
        if !isShorthand {
            write(node.operation.rawValue)
            if let name = node.name { write(" " + name.value) }
            variables(node.variables, spaced: node.name == nil)
            directives(node.directives)
            write(" ")
        }
        selectionSet(node.selectionSet)
    }

    /// Prints variables on one line. If a variable has a description, each variable gets its own line.
    private mutating func variables(_ variables: [VariableDefinition], spaced: Bool) {
        let open = spaced ? " (" : "("
        if variables.contains(where: { $0.description != nil }) {
            block(open, variables, ")") { $0.variable($1) }
        } else {
            list(open, variables, separator: ", ", ")") { $0.variable($1) }
        }
    }

    private mutating func variable(_ node: VariableDefinition) {
        description(node.description)
        write("$" + node.variable.name.value + ": ")
        type(node.type)
        defaultValue(node.defaultValue)
        directives(node.directives)
    }

    mutating func fragment(_ node: FragmentDefinition) {
        description(node.description)
        write("fragment " + node.name.value + " on " + node.typeCondition.name.value)
        directives(node.directives)
        write(" ")
        selectionSet(node.selectionSet)
    }

    mutating func selectionSet(_ node: SelectionSet) {
        block("{", node.selections, "}") { $0.selection($1) }
    }

    mutating func selection(_ selection: Selection) {
        switch selection {
        case .field(let node):
            if let alias = node.alias { write(alias.value + ": ") }
            write(node.name.value)
            arguments(node.arguments)
            directives(node.directives)
            if let inner = node.selectionSet {
                write(" ")
                selectionSet(inner)
            }
        case .fragmentSpread(let node):
            write("..." + node.name.value)
            directives(node.directives)
        case .inlineFragment(let node):
            write("...")
            if let type = node.typeCondition { write(" on " + type.name.value) }
            directives(node.directives)
            write(" ")
            selectionSet(node.selectionSet)
        }
    }
}
