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

    mutating func definition(_ definition: Definition) {
        switch definition {
        case .operation(let node): operation(node)
        case .fragment(let node): fragment(node)
        case .schema(let node): schema(node)
        case .type(let node): type(node)
        case .directive(let node): directiveDefinition(node)
        case .schemaExtension(let node): schemaExtension(node)
        case .typeExtension(let node): type(node, isExtension: true)
        }
    }
}
