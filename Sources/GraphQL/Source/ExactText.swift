/// A text that is only equal to a text with the same UTF-8 bytes.
///
/// Two `String` values are equal if they are canonically equivalent: for example, the letter é as one character and as two, or
/// K and the Kelvin sign. A client's text that is compared or used as a key must therefore be an `ExactText`.
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
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Most texts are contiguous in memory. This loop compares many of their bytes at a time, because it has no early exit.
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                var difference: UInt8 = 0
                for index in left.indices { difference |= left[index] ^ right[index] }
                return difference == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
