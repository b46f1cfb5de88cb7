package import TidelogCore

/// Everything that a server keeps: its records with their metadata, the answers to named changes, and its facts.
///
/// ``ServedCopy`` copies it from one place to another one. No server may use one of them at the same time.
package protocol ServedContent: Sendable {
    /// A text that no other place has.
    var identity: String { get }

    /// The number of records of `model`, including tombstones.
    func count(_ model: String) async throws -> Int

    /// The records of `model` after `place`, in an order of this place. The model ``ServerModels/answer`` has the answers.
    func page(_ model: String, after place: PagePlace?) async throws -> ServedPage

    /// The stored records with the keys of `records`, at the same positions; `nil` where there is none.
    func stored(_ model: String, as records: [Record]) async throws -> [Record?]

    /// Saves and removes records in one transaction, with exactly these values.
    ///
    /// - Parameters:
    ///   - replaced: The stored records with the keys of some of `saved`.
    /// - Throws: ``DataStoreError`` that names the record, if one cannot be stored here.
    func write(_ model: String, saved: [Record], replaced: [Record], removed: [Record]) async throws

    /// Stores the facts, and notes that the copy is complete.
    func finish(_ facts: ServedFacts) async throws
}

/// Some records of a model.
package struct ServedPage: Sendable {
    package var records: [Record]
    /// The place after the last record; `nil` if there are no more records.
    package var next: PagePlace?

    package init(_ records: [Record], next: PagePlace?) { (self.records, self.next) = (records, next) }
}
