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
        write("fragment " + node.name.value + " on " + node.typeCondition.value)
        directives(node.directives)
        write(" ")
        selectionSet(node.selectionSet)
    }

    mutating func selectionSet(_ node: SelectionSet) {
        block("{", node.selections, "}") { $0.selection($1) }
    }

    mutating func selection(_ selection: SelectionSet.Selection) {
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
            if let type = node.typeCondition { write(" on " + type.value) }
            directives(node.directives)
            write(" ")
            selectionSet(node.selectionSet)
        }
    }
}

// MARK: - Type systems

extension Printer {
    mutating func schema(_ node: SchemaDefinition, isExtension: Bool = false) {
        if isExtension { write("extend ") } else { description(node.description) }
        write("schema")
        directives(node.directives)
        block(" {", node.operationTypes, "}") { $0.write($1.operation.rawValue + ": " + $1.type.value) }
    }

    mutating func directiveDefinition(_ node: DirectiveDefinition) {
        description(node.description)
        write("directive @" + node.name.value)
        argumentDefinitions(node.arguments)
        write(node.isRepeatable ? " repeatable on " : " on ")
        list("", node.locations, separator: " | ", "") { $0.write($1.rawValue) }
    }

    mutating func type(_ type: TypeDefinition, isExtension: Bool = false) {
        if isExtension { write("extend ") } else { description(type.description) }
        write(type.kind.rawValue + " " + type.name.value)
        list(" implements ", type.interfaces, separator: " & ", "") { $0.write($1.value) }
        directives(type.directives)
        block(" {", type.fields, "}") { $0.field($1) }
        list(" = ", type.members, separator: " | ", "") { $0.write($1.value) }
        block(" {", type.enumValues, "}") { printer, value in
            printer.description(value.description)
            printer.write(value.name.value)
            printer.directives(value.directives)
        }
        block(" {", type.inputFields, "}") { $0.inputValue($1) }
    }

    private mutating func field(_ field: FieldDefinition) {
        description(field.description)
        write(field.name.value)
        argumentDefinitions(field.arguments)
        write(": ")
        type(field.type)
        directives(field.directives)
    }

    /// Prints argument definitions on one line. If an argument has a description, each argument gets its own line.
    private mutating func argumentDefinitions(_ arguments: [InputValueDefinition]) {
        if arguments.contains(where: { $0.description != nil }) {
            block("(", arguments, ")") { $0.inputValue($1) }
        } else {
            list("(", arguments, separator: ", ", ")") { $0.inputValue($1) }
        }
    }

    private mutating func inputValue(_ node: InputValueDefinition) {
        description(node.description)
        write(node.name.value + ": ")
        type(node.type)
        defaultValue(node.defaultValue)
        directives(node.directives)
    }

    /// Prints ` = value`, if there is a value.
    mutating func defaultValue(_ value: Value?) {
        guard let value else { return }
        write(" = ")
        self.value(value)
    }
}
