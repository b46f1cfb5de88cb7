extension Printer {
    mutating func value(_ value: Value) {
        switch value {
        case .variable(let node): write("$" + node.name.value)
        case .int(let node): write(node.text)
        case .float(let node): write(node.text)
        case .string(let node): string(node)
        case .boolean(let node): write(node.value ? "true" : "false")
        case .null: write("null")
        case .enum(let node): write(node.name.value)
        case .list(let node):
            write("[")
            list("", node.values, separator: ", ", "") { $0.value($1) }
            write("]")
        case .object(let node):
            write("{")
            list("", node.fields, separator: ", ", "") { $0.named($1.name, $1.value) }
            write("}")
        }
    }

    mutating func named(_ name: Name, _ value: Value) {
        write(name.value + ": ")
        self.value(value)
    }

    mutating func arguments(_ arguments: [Argument]) {
        list("(", arguments, separator: ", ", ")") { $0.named($1.name, $1.value) }
    }

    /// Prints ` @a @b(c: 1)`, with a space before each directive.
    mutating func directives(_ directives: [Directive]) {
        for directive in directives {
            write(" @" + directive.name.value)
            arguments(directive.arguments)
        }
    }

    mutating func type(_ type: TypeReference) {
        switch type {
        case .named(let node): write(node.name.value)
        case .list(let node):
            write("[")
            self.type(node.element)
            write("]")
        case .nonNull(let node):
            self.type(node.nullable)
            write("!")
        }
    }
}
