/// Prints nodes as canonical text: two spaces for each level, one space between tokens, and a blank line between definitions.
///
/// Parsing the text gives equal nodes again, except for spans. Nodes that were made in code are printed without checks. The
/// text of such nodes may not be parseable, for example if a required list is empty or a name is not valid.
struct Printer {
    var text = ""
    private var level = 0
    /// Whether `{ … }` may be printed here as an operation. After `type T`, a parser would read it as the fields of `T`.
    private(set) var allowsShorthand = true

    mutating func write(_ piece: String) { text += piece }

    mutating func newLine() {
        text += "\n"
        for _ in 0..<level { text += "  " }
    }

    /// Prints `open`, the nodes on their own lines with one more level of indentation, and `close`. Prints nothing if there are
    /// no nodes.
    mutating func block<Node>(
        _ open: String, _ nodes: [Node], _ close: String, _ print: (inout Printer, Node) -> Void
    ) {
        guard !nodes.isEmpty else { return }
        write(open)
        level += 1
        for node in nodes {
            newLine()
            print(&self, node)
        }
        level -= 1
        newLine()
        write(close)
    }

    /// Prints `open`, the nodes with the separator between them, and `close`. Prints nothing if there are no nodes.
    mutating func list<Node>(
        _ open: String, _ nodes: [Node], separator: String, _ close: String, _ print: (inout Printer, Node) -> Void
    ) {
        guard !nodes.isEmpty else { return }
        write(open)
        for (index, node) in nodes.enumerated() {
            if index > 0 { write(separator) }
            print(&self, node)
        }
        write(close)
    }

    mutating func document(_ document: Document) {
        for (index, definition) in document.definitions.enumerated() {
            if index > 0 { write("\n") }
            allowsShorthand = index == 0 || document.definitions[index - 1].isExecutable
            self.definition(definition)
            write("\n")
        }
    }

    mutating func definition(_ definition: Document.Definition) {
        switch definition {
        case .operation(let node): operation(node)
        case .fragment(let node): fragment(node)
        case .schema(let node): schema(node)
        case .type(let node): type(node)
        case .directive(let node): directiveDefinition(node)
        case .schemaExtension(let node): schema(node, isExtension: true)
        case .typeExtension(let node): type(node, isExtension: true)
        }
    }
}

extension Document {
    /// The canonical text of this document. Parsing the text gives equal nodes, except for spans.
    public func printed() -> String {
        var printer = Printer()
        printer.document(self)
        return printer.text
    }
}

extension Document.Definition {
    /// The canonical text of this definition, without a line break at the end.
    public func printed() -> String {
        var printer = Printer()
        printer.definition(self)
        return printer.text
    }
}

extension SelectionSet {
    /// The canonical text of this selection set.
    public func printed() -> String {
        var printer = Printer()
        printer.selectionSet(self)
        return printer.text
    }
}

extension Value {
    /// The canonical text of this value.
    public func printed() -> String {
        var printer = Printer()
        printer.value(self)
        return printer.text
    }
}

extension TypeReference {
    /// The text of this type, such as `[ID!]!`.
    public func printed() -> String {
        var printer = Printer()
        printer.type(self)
        return printer.text
    }
}

extension Directive {
    /// The text of this directive, such as `@auth(rules: [])`.
    public func printed() -> String {
        var printer = Printer()
        printer.directives([self])
        return String(printer.text.dropFirst())
    }
}

// MARK: - Values and types

extension Printer {
    mutating func value(_ value: Value) {
        switch value {
        case .variable(let variable): write("$" + variable.name.value)
        case .int(let text, _), .float(let text, _): write(text)
        case .string(let node): string(node)
        case .boolean(let isTrue, _): write(isTrue ? "true" : "false")
        case .null: write("null")
        case .enum(let name): write(name.value)
        case .list(let values, _):
            write("[")
            list("", values, separator: ", ", "") { $0.value($1) }
            write("]")
        case .object(let fields, _):
            write("{")
            list("", fields, separator: ", ", "") { $0.named($1.name, $1.value) }
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
        case .named(let name): write(name.value)
        case .list(let element, _):
            write("[")
            self.type(element)
            write("]")
        case .nonNull(let nullable, _):
            self.type(nullable)
            write("!")
        }
    }
}

// MARK: - Strings

extension Printer {
    /// Prints a description on its own lines, before the described definition.
    mutating func description(_ description: StringValue?) {
        guard let description else { return }
        string(description)
        newLine()
    }

    /// Prints a string. A block string stays a block string, unless block syntax cannot represent its text.
    mutating func string(_ node: StringValue) {
        let bytes = Array(node.value.utf8)
        if node.isBlock, let layout = BlockString.layout(for: bytes) {
            block(bytes, layout)
        } else {
            quoted(node.value)
        }
    }

    private mutating func block(_ bytes: [UInt8], _ layout: BlockString.Layout) {
        write("\"\"\"")
        guard layout != .empty else { return write("\"\"\"") }
        for line in BlockString.lines(of: bytes[...]) {
            if layout == .lineBesideQuotes {
                write(BlockString.escaped(line))
            } else if line.isEmpty {
                write("\n")
            } else {
                newLine()
                write(BlockString.escaped(line))
            }
        }
        newLine()
        write("\"\"\"")
    }

    private mutating func quoted(_ value: String) {
        write("\"")
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\u{8}": write("\\b")
            case "\u{C}": write("\\f")
            case "\n": write("\\n")
            case "\r": write("\\r")
            case "\t": write("\\t")
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                write("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            default: text.unicodeScalars.append(scalar)
            }
        }
        write("\"")
    }
}
