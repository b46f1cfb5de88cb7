/// A value from outside, and what it becomes: variables as they came, and arguments after input coercion (§3.5 … §3.12).
///
/// A coerced enum value is the text of its name. A member that was not given is not in its object; null is.
package enum InputValue: Sendable, Hashable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// Text, an ID or the name of an enum value.
    case string(String)
    /// A list.
    case list([InputValue])
    /// An object.
    case object(InputObject)

    /// The value of an object's member; nil if this is no object or has no such member.
    package subscript(name: String) -> InputValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// Whether it is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// An object from outside: members in order.
package struct InputObject: Sendable, Hashable {
    /// One member.
    package struct Member: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value.
        package var value: InputValue

        /// Makes a member.
        package init(name: String, value: InputValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members, in order; of two with one name the first counts.
    package var members: [Member]

    /// Makes an object.
    package init(_ members: [Member] = []) { self.members = members }

    /// The value of a member; nil if there is none.
    package subscript(name: String) -> InputValue? {
        members.first { $0.name == name }?.value
    }
}

extension InputObject: ExpressibleByDictionaryLiteral {
    /// Makes an object by hand.
    package init(dictionaryLiteral elements: (String, InputValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }
}

extension InputValue: ExpressibleByDictionaryLiteral {
    /// Makes an object by hand.
    package init(dictionaryLiteral elements: (String, InputValue)...) {
        self = .object(InputObject(elements.map { .init(name: $0.0, value: $0.1) }))
    }
}
