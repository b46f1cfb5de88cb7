/// A value of a response (§7.1). Resolvers return such values, and so does execution.
package enum ResponseValue: Sendable, Hashable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// Any other number. It must be finite.
    case double(Double)
    /// Text, an ID or the name of an enum value.
    case string(String)
    /// A list.
    case list([ResponseValue])
    /// An object.
    case object(ResponseObject)

    /// The value of an object's member; `nil` if this value is no object or has no such member.
    package subscript(name: String) -> ResponseValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// Whether the value is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// An object of a response, with its values in the order of the selection.
package struct ResponseObject: Sendable, Hashable {
    /// The names of the members as they are shared with other objects.
    package let sharedNames: Names
    /// The values, one for each name.
    package let values: [ResponseValue]

    /// Makes an object from equal numbers of names and values.
    package init(names: [String], values: [ResponseValue]) { self.init(Names(names: names), values) }

    init(_ names: Names, _ values: [ResponseValue]) {
        precondition(names.names.count == values.count, "an object has as many names as values")
        (sharedNames, self.values) = (names, values)
    }

    /// The names of the members. Each name occurs once.
    package var names: [String] { sharedNames.names }

    package static func == (left: ResponseObject, right: ResponseObject) -> Bool {
        left.names == right.names && left.values == right.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(names)
        hasher.combine(values)
    }

    /// The value of a member; `nil` if there is none.
    package subscript(name: String) -> ResponseValue? {
        names.firstIndex(of: name).map { values[$0] }
    }

    /// The names of the members of objects. All objects of one selection share them.
    package final class Names: Sendable {
        /// The names, in order. Each name occurs once.
        package let names: [String]
        /// The names as JSON strings, so that they are not made for each object; `nil` for the names of one object alone.
        package let jsonKeys: [[UInt8]]?

        fileprivate init(names: [String]) { (self.names, jsonKeys) = (names, nil) }

        /// The names of a selection. A response name has no characters that JSON escapes (§2.1.9).
        init(selected names: [String]) {
            self.names = names
            jsonKeys = names.map { Array("\"\($0)\"".utf8) }
        }
    }
}

extension ResponseObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal.
    package init(dictionaryLiteral elements: (String, ResponseValue)...) {
        self.init(names: elements.map(\.0), values: elements.map(\.1))
    }
}
