package import TidelogCore

/// Everything that a server keeps: its records with their metadata, the answers to named changes, and its facts.
///
/// ``ServedCopy`` copies it from one place to another one. No server may use one of them at the same time.
package protocol ServedContent: Sendable {
    /// A text that no other place has.
    var identity: String { get }

    /// The number of records of `model`, including tombstones.
    func count(_ model: String) async throws -> Int

    /// At most `limit` records of `model` after `place`, in an order of this place. The model ``ServerModels/answer`` has the
    /// answers.
    func page(_ model: String, after place: PagePlace?, limit: Int) async throws -> ServedPage

    /// The stored records with the keys of `records`, at the same positions; `nil` where there is none.
    func stored(_ model: String, as records: [Record]) async throws -> [Record?]

    /// Saves and removes records, with exactly these values.
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

    /// The number of records that the next page should have, so that pages of large records take little memory.
    ///
    /// - Parameter limit: The largest number of records that this page could have.
    func nextLimit(after limit: Int) -> Int {
        let byteCount = records.reduce(1) { $0 + $1.estimatedByteCount }
        let fitting = Self.byteCount * max(1, records.count) / byteCount
        return max(1, min(fitting, limit * 4, Self.largestCount))
    }

    /// The number of records of the first page.
    static let firstCount = 50
    private static let largestCount = 2_000
    /// The number of bytes that a page should have.
    private static let byteCount = 4 << 20
}

extension Record {
    /// About the number of bytes of the stored record.
    var estimatedByteCount: Int { values.values.reduce(0) { $0 + $1.estimatedByteCount } }
}

extension FieldValue {
    fileprivate var estimatedByteCount: Int {
        switch self {
        case .string(let text): 8 + text.utf8.count
        case .list(let elements): elements.reduce(8) { $0 + 1 + ($1?.estimatedByteCount ?? 0) }
        case .embedded(let values): values.values.reduce(8) { $0 + $1.estimatedByteCount }
        default: 40
        }
    }
}
