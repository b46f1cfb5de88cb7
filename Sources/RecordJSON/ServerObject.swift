@_spi(Adapters) package import TidelogCore

/// A record as an object of a GraphQL server's response gives it.
package struct ServerObject: Sendable {
    /// The part of the record that the reader took from the object.
    package enum Content: Sendable, Hashable {
        /// The record's row, which stands at this place of the arena.
        case row(Range<Int>)
        /// The id of a record that the server has deleted. The reader looks at no other field of it, because a server may
        /// leave out the rest.
        case deletion(RecordID)
    }

    /// The row, or the id of a deleted record.
    package let content: Content
    /// The server's metadata of the record; `nil` if the object has none that is usable.
    ///
    /// Usable metadata has a `_version` and a `_lastChangedAt` that are written as integers and are not negative, and a
    /// `_deleted` that is a boolean, `null` or missing. A state that is not `nil` always has a version.
    package let state: ServerState?
}
