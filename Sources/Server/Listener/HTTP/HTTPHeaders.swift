/// The header fields of a request or a response, in order. Names are compared without regard to case.
package struct HTTPHeaders: Sendable, Equatable {
    /// A header field.
    package struct Field: Sendable, Equatable {
        /// The name as it was sent.
        package let name: String
        /// The value without the blanks around it.
        package let value: String

        /// Makes a field.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order.
    package private(set) var fields: [Field]

    /// Makes headers from fields.
    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The value of the first field with the name `name`.
    package subscript(name: String) -> String? { fields.first { $0.name.isEqualIgnoringCase(name) }?.value }

    /// The values of all fields with the name `name`, in order.
    package func values(of name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
    }

    /// Adds a field at the end.
    package mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    /// Replaces all fields with the name `name` by one field.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name.isEqualIgnoringCase(name) }
        add(name, value)
    }

    /// The elements of the comma-separated lists in all fields with the name `name`, without the blanks around them.
    package func list(_ name: String) -> [String] {
        values(of: name).flatMap { $0.split(separator: ",") }.compactMap { element in
            let text = element.trimmingBlanks
            return text.isEmpty ? nil : String(text)
        }
    }

    /// Whether the lists of all fields with the name `name` contain `element`, without regard to case.
    package func list(_ name: String, contains element: String) -> Bool {
        list(name).contains { $0.isEqualIgnoringCase(element) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Makes headers in the order of the literal.
    package init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { Field($0.0, $0.1) }) }
}

extension StringProtocol {
    /// Whether the texts are equal, without regard to the case of ASCII letters.
    func isEqualIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercaseASCII == $1.lowercaseASCII }
    }
}

extension Substring {
    /// The text without the blanks and tabs around it.
    var trimmingBlanks: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}

extension UInt8 {
    /// The lower-case letter of an upper-case ASCII letter. Any other byte is returned unchanged.
    var lowercaseASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
