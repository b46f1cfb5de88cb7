/// The outcome of many changes.
package struct BulkOutcome: Sendable {
    /// A change that was refused.
    package struct Refused: Sendable {
        /// The index of the change.
        package let index: Int
        package let error: any Error
    }

    /// The number of changes that wrote a record.
    package var writtenCount = 0
    /// The number of changes whose decision was to keep the record unchanged.
    package var keptCount = 0
    /// The place of the last change in the order of all changes; `nil` if nothing was written.
    package var place: UInt64?
    /// The refused changes. If refused changes are not skipped, no change was made, and this is the first refused one.
    package var refused: [Refused] = []
}
