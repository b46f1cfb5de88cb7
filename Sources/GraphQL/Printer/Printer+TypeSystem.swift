extension Printer {
    mutating func schema(_ node: SchemaDefinition) {
        description(node.description)
        write("schema")
        directives(node.directives)
        rootOperationTypes(node.operationTypes)
    }

    mutating func schemaExtension(_ node: SchemaExtension) {
        write("extend schema")
        directives(node.directives)
        rootOperationTypes(node.operationTypes)
    }

    private mutating func rootOperationTypes(_ nodes: [RootOperationTypeDefinition]) {
        block(" {", nodes, "}") { $0.write($1.operation.rawValue + ": " + $1.type.name.value) }
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
        switch type {
        case .scalar(let node): head("scalar ", node.name, node.directives)
        case .object(let node):
            head("type ", node.name, interfaces: node.interfaces, node.directives)
            fields(node.fields)
        case .interface(let node):
            head("interface ", node.name, interfaces: node.interfaces, node.directives)
            fields(node.fields)
        case .union(let node):
            head("union ", node.name, node.directives)
            members(node.members)
        case .enum(let node):
            head("enum ", node.name, node.directives)
            values(node.values)
        case .inputObject(let node):
            head("input ", node.name, node.directives)
            inputFields(node.fields)
        }
    }

    private mutating func head(
        _ keyword: String, _ name: Name, interfaces: [NamedType] = [], _ directives: [Directive]
    ) {
        write(keyword + name.value)
        list(" implements ", interfaces, separator: " & ", "") { $0.write($1.name.value) }
        self.directives(directives)
    }

    private mutating func fields(_ fields: [FieldDefinition]) {
        block(" {", fields, "}") { printer, field in
            printer.description(field.description)
            printer.write(field.name.value)
            printer.argumentDefinitions(field.arguments)
            printer.write(": ")
            printer.type(field.type)
            printer.directives(field.directives)
        }
    }

    private mutating func inputFields(_ fields: [InputValueDefinition]) {
        block(" {", fields, "}") { $0.inputValue($1) }
    }

    private mutating func values(_ values: [EnumValueDefinition]) {
        block(" {", values, "}") { printer, value in
            printer.description(value.description)
            printer.write(value.name.value)
            printer.directives(value.directives)
        }
    }

    private mutating func members(_ members: [NamedType]) {
        list(" = ", members, separator: " | ", "") { $0.write($1.name.value) }
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
