@_spi(Adapters) import Tidelog

/// Everything that the adapter stores. It is a value, so a copy stays as it was when it was made.
struct Contents: Sendable {
    /// The place in the log up to which the rows contain its changes. It changes together with the rows, or not at all.
    var checkpoint: Checkpoint?
    /// The rows, by the number of their model. No other model ever gets the same number.
    var models: [UInt32: SortedTable] = [:]
    /// The values that projections keep in addition to the rows, by the name of their table.
    var auxiliary: [String: SortedTable] = [:]
}
