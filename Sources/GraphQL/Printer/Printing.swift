extension Document {
    /// The canonical text of this document. Parsing the text gives equal nodes, except for spans.
    public func printed() -> String {
        var printer = Printer()
        printer.document(self)
        return printer.text
    }
}

extension Definition {
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
