package import TidelogSchema

/// The values that tell the states of a record apart at a server without versions: the text of the field `updatedAt` and, if
/// the model has the field `tidelog`, the tag that the last Tidelog device wrote there.
package struct RecordStamp: Sendable, Hashable {
    /// The field whose value the server sets with every change.
    package static let timeField = "updatedAt"
    /// The optional field of a model that gets another value with every change of a Tidelog device.
    package static let tagField = "tidelog"
    /// The optional field of a model with tags that says when the record was deleted. The server keeps such a record.
    package static let deletionField = "deletedAt"

    /// The text of the field `updatedAt`, as the server sent it.
    package var updatedAt: String
    /// The value of the field `tidelog`; `nil` if the model has no such field or the record no such value.
    package var tag: String?
    private let time: Int64

    /// The stamp of a record with this row; `nil` if the row has no time.
    package init?(of row: Record, _ model: SyncModels.Model) {
        guard let value = row[Self.timeField], let dateTime = Self.dateTime(value) else { return nil }
        var tag: String?
        if model.hasTag, case .string(let text)? = row[Self.tagField] { tag = text }
        self.init(dateTime, tag: tag)
    }

    package init(_ updatedAt: Temporal.DateTime, tag: String?) {
        self.updatedAt = updatedAt.text
        self.tag = tag
        time = updatedAt.instant.milliseconds
    }

    /// The stamp that a version stands for; `nil` if the version does not tell it. A version does if a resolver of AppSync
    /// wrote the time and there is no tag.
    package init?(version: UInt64) {
        guard version & Self.mask == 0, version > 0 else { return nil }
        time = Int64(version >> Self.width)
        updatedAt = TemporalPrinter.dateTime(milliseconds: time)
        tag = nil
    }

    private static let width: UInt64 = 20
    private static let mask: UInt64 = (1 << width) - 1
    /// The largest number of milliseconds that a version can hold, in the year 2527.
    private static let latest: Int64 = (1 << 44) - 1

    /// The stamp as a number: the milliseconds of its time since 1970-01-01T00:00:00Z, and in the last 20 bits a hash of all
    /// that the milliseconds do not tell. It is 0 for a text of AppSync's form without a tag. Different stamps of the same
    /// millisecond have the same number once in a million.
    package var version: UInt64 {
        let milliseconds = UInt64(min(max(0, time), Self.latest)) << Self.width
        guard tag != nil || updatedAt != TemporalPrinter.dateTime(milliseconds: time) else { return milliseconds }
        let hash = (tag ?? "").utf8.stableHash(after: updatedAt.utf8.stableHash)
        let folded = (hash ^ (hash >> 20) ^ (hash >> 40)) & Self.mask
        return milliseconds | max(folded, 1)
    }

    /// Whether the time in one version is before the time in another one.
    package static func isEarlier(_ version: UInt64, than other: UInt64) -> Bool { version >> width < other >> width }

    /// The milliseconds since 1970-01-01T00:00:00Z in a version.
    package static func milliseconds(in version: UInt64) -> Int64 { Int64(version >> width) }

    private static func dateTime(_ value: FieldValue) -> Temporal.DateTime? {
        switch value {
        case .dateTime(let dateTime): dateTime
        case .string(let text): try? Temporal.DateTime(text)
        default: nil
        }
    }
}

extension Temporal.Instant {
    fileprivate var milliseconds: Int64 {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? 0 : product + Int64(nanoseconds / 1_000_000)
    }
}
