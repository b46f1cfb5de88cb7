/// Writes nodes as canonical text: two spaces a level, one space between tokens, a blank line between definitions.
///
/// Parsing the text gives the same nodes again, but for spans. Nodes made by hand are written as they are, so an empty
/// list where the grammar wants one element, or a name that is none, gives text that does not parse.
struct Printer {
    var text = ""
    private var level = 0
    /// Whether `{ … }` here is an operation; behind `type T` it would be read as the fields of `T`.
    private(set) var allowsShorthand = true

    mutating func write(_ piece: String) { text += piece }

    mutating func newLine() {
        text += "\n"
        for _ in 0..<level { text += "  " }
    }

    /// `open`, every node on a line of its own one level deeper, `close`; nothing at all for no nodes.
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

    /// `open`, the nodes with the separator between them, `close`; nothing at all for no nodes.
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
