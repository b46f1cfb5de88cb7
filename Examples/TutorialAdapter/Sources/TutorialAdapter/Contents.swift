@_spi(Adapters) import Tidelog

/// Everything that the adapter stores. A value: a copy keeps what was in it when it was taken.
struct Contents: Sendable {
    /// How far the log is in the rows. It changes with them or not at all.
    var checkpoint: Checkpoint?
    /// The rows, by the number of their model, which no other model ever gets.
    var models: [UInt32: SortedTable] = [:]
    /// What projections keep beside the rows, by the name of their table.
    var auxiliary: [String: SortedTable] = [:]
}
