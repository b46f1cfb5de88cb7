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

    /// The members, in order. If two have the same name, the first counts.
    package var members: [Member]

    /// Makes an object.
    package init(_ members: [Member] = []) { self.members = members }

    /// The value of a member; nil if there is none.
    package subscript(name: String) -> InputValue? {
        members.first { $0.name.isExactly(name) }?.value
    }
}

extension InputValue {
    /// Whether the values are the same. Texts are the same if their bytes are.
    package static func == (left: InputValue, right: InputValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let truth): hasher.combine(truth)
        case .int(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .list(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension InputObject.Member {
    package static func == (left: Self, right: Self) -> Bool {
        left.name.isExactly(right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(value)
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
