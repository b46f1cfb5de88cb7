/// Why a document defines no type system.
package struct TypeSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One thing that is wrong.
    package struct Problem: Sendable, Hashable {
        /// What is wrong, as a sentence.
        package let message: String
        /// The definition at fault, in the text that the document was parsed from.
        package let span: SourceSpan
    }

    /// Everything that is wrong, in the order in which it was found.
    package let problems: [Problem]

    /// The messages, one a line.
    package var description: String { problems.map(\.message).joined(separator: "\n") }
}
