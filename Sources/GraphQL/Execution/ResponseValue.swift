/// A value of a response (§7.1): what a resolver gives and what execution makes of it.
package enum ResponseValue: Sendable, Hashable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// Any other number, finite.
    case double(Double)
    /// Text, an ID or the name of an enum value.
    case string(String)
    /// A list.
    case list([ResponseValue])
    /// An object.
    case object(ResponseObject)

    /// The value of an object's member; nil if this is no object or has no such member.
    package subscript(name: String) -> ResponseValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// Whether it is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// An object of a response: values in the order of the selection.
///
/// Objects of one selection share their array of names.
package struct ResponseObject: Sendable, Hashable {
    /// The names of the members, each once.
    package let names: [String]
    /// The values, one a name.
    package let values: [ResponseValue]

    /// Makes an object of as many names as values.
    package init(names: [String], values: [ResponseValue]) {
        precondition(names.count == values.count, "an object has as many names as values")
        self.names = names
        self.values = values
    }

    /// The value of a member; nil if there is none.
    package subscript(name: String) -> ResponseValue? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

extension ResponseObject: ExpressibleByDictionaryLiteral {
    /// Makes an object by hand.
    package init(dictionaryLiteral elements: (String, ResponseValue)...) {
        self.init(names: elements.map(\.0), values: elements.map(\.1))
    }
}
