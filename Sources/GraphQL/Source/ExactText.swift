/// A text that equals only a text of the same UTF-8 bytes.
///
/// Two values of `String` are equal if they are canonically equivalent: the letter é in one character and in two, or K and
/// the Kelvin sign. A text from a client that is a key, or that is compared, is an `ExactText`.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Makes an exact text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether the text has the same UTF-8 bytes as `other`.
    @inline(__always)
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
