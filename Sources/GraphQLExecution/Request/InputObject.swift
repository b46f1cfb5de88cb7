/// An input object, with its members in order.
package struct InputObject: Sendable, Hashable {
    /// A member of an input object.
    package struct Member: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The value.
        package var value: InputValue

        /// Makes a member.
        package init(name: String, value: InputValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members, in order. If two members have the same name, the first one counts.
    package var members: [Member]

    /// Makes an object.
    package init(_ members: [Member] = []) { self.members = members }

    /// The value of a member; `nil` if there is none.
    package subscript(name: String) -> InputValue? { members.first { $0.name.isExactly(name) }?.value }
}

extension InputObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal.
    package init(dictionaryLiteral elements: (String, InputValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
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
