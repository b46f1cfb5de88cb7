@_spi(Adapters) internal import Tidelog
internal import TidelogCore

/// The place into which records are imported: a store, or a database of servers.
protocol ImportTarget: Sendable {
    /// The model of the records.
    var model: ModelLayout { get }
    /// Whether a text that is no case of its enum is kept.
    var keepsUnknownCases: Bool { get }
    /// The number of the last event or change so far.
    var sequence: UInt64 { get throws }

    /// Saves a batch in one commit.
    ///
    /// - Parameter skipsRefused: Whether the other records are saved if some are refused.
    /// - Throws: ``CommandFailure`` with the line of the first refused record, unless `skipsRefused` is set.
    func save(_ batch: ImportBatch, skipsRefused: Bool) async throws -> ImportBatch.Outcome
}
