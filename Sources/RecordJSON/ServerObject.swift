@_spi(Adapters) package import TidelogCore

/// A record from an object in a GraphQL server's response.
package struct ServerObject: Sendable {
    /// The part of the record that the reader has read from the object.
    package enum Content: Sendable, Hashable {
        /// The record's row is in this range of the arena.
        case row(Range<Int>)
        /// The id of a record that the server has deleted. The reader reads no other field of such a record, because a server
        /// may leave out the rest.
        case deletion(RecordID)
    }

    /// The row, or the id of a deleted record.
    package let content: Content
    /// The server's metadata of the record; `nil` if the object has no usable metadata.
    ///
    /// Metadata is usable if `_version` and `_lastChangedAt` are written as integers and are not negative, and if `_deleted` is
    /// a boolean, `null` or missing. A state that is not `nil` always has a version.
    package let state: ServerState?
}
