/// The reasons why a document does not define a type system.
package struct TypeSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A single problem.
    package struct Problem: Sendable, Hashable {
        /// The problem, as one sentence.
        package let message: String
        /// The wrong definition, in the source text of the document.
        package let span: SourceSpan
    }

    /// All problems, in the order in which they were found.
    package let problems: [Problem]

    /// The messages, one on each line.
    package var description: String { problems.map(\.message).joined(separator: "\n") }
}
