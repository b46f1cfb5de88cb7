/// The outcome of a call for many records, which goes in as many commits as it needs: what it appended over all of them.
public struct BulkCommit: Sendable, Hashable {
    /// The commits, in order, without those that appended nothing. Commits of others may lie between them.
    public private(set) var commits: [Commit]
    /// What comes next if nothing was appended.
    private var next: SequenceNumber

    /// The outcome of one commit.
    init(_ commit: Commit) {
        commits = commit.isEmpty ? [] : [commit]
        next = commit.first
    }

    mutating func add(_ commit: Commit) {
        if !commit.isEmpty { commits.append(commit) }
        next = SequenceNumber(commit.last.value + 1)
    }

    /// How many commits there were; 0 if nothing was to change.
    public var commitCount: Int { commits.count }

    /// How many events were appended.
    public var eventCount: Int { commits.reduce(0) { $0 + $1.eventCount } }

    /// The first event, or the one that would have come next if nothing was appended.
    public var first: SequenceNumber { commits.first?.first ?? next }

    /// The last event; one before ``first`` if nothing was appended.
    public var last: SequenceNumber { commits.last?.last ?? SequenceNumber(next.value - 1) }

    /// Whether nothing was appended, because nothing was to change.
    public var isEmpty: Bool { commits.isEmpty }
}
