/// The result of a call for many records: the events of all commits that the call has made.
public struct BulkCommit: Sendable, Hashable {
    /// The commits in order, without empty ones. Commits of other writes may be between them.
    public private(set) var commits: [Commit]
    /// The sequence number of the next event, for the case that nothing was appended.
    private var next: SequenceNumber

    /// The result for one commit.
    package init(_ commit: Commit) {
        commits = commit.isEmpty ? [] : [commit]
        next = commit.first
    }

    package mutating func add(_ commit: Commit) {
        if !commit.isEmpty { commits.append(commit) }
        next = SequenceNumber(commit.last.value + 1)
    }

    /// The number of commits, 0 if there was nothing to change.
    public var commitCount: Int { commits.count }

    /// The number of appended events.
    public var eventCount: Int { commits.reduce(0) { $0 + $1.eventCount } }

    /// The first appended event. If nothing was appended, the number that the next event would have had.
    public var first: SequenceNumber { commits.first?.first ?? next }

    /// The last appended event. If nothing was appended, one less than ``first``.
    public var last: SequenceNumber { commits.last?.last ?? SequenceNumber(next.value - 1) }

    /// Whether nothing was appended, because there was nothing to change.
    public var isEmpty: Bool { commits.isEmpty }
}
