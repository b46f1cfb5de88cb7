/// The writes that wait for the writer: a bounded list of those that make up its next group, and behind it, in order, those
/// that there is no room for yet. Nobody's thread waits; their tasks do.
struct WriteQueue {
    private let byteLimit: Int
    /// What the next group consists of.
    private var pending: [PendingWrite] = []
    /// In order, those that wait for room. There are none unless others are at work or pending.
    private var waiting: [PendingWrite] = []
    /// What the writes at work count.
    private var groupByteCount = 0
    /// What the writes at work and those pending count.
    private(set) var byteCount = 0

    init(byteLimit: Int = Limits.pendingByteCount) { self.byteLimit = byteLimit }

    /// How many writes wait for room.
    var waitingCount: Int { waiting.count }

    /// A write that is larger than the limit has room when it is alone.
    private func hasRoom(for write: PendingWrite) -> Bool {
        byteCount == 0 || write.byteCount <= byteLimit - byteCount
    }

    mutating func append(_ write: PendingWrite) {
        guard waiting.isEmpty, hasRoom(for: write) else { return waiting.append(write) }
        byteCount += write.byteCount
        pending.append(write)
    }

    /// The next group; the one before has ended. Empty if nothing is queued.
    mutating func takeGroup() -> [PendingWrite] {
        _ = endGroup()
        groupByteCount = byteCount
        defer { pending = [] }
        return pending
    }

    /// Notes that the last group has ended; returns whether there is another.
    mutating func endGroup() -> Bool {
        byteCount -= groupByteCount
        groupByteCount = 0
        admitWaiting()
        return !pending.isEmpty
    }

    /// Everything that waits.
    mutating func takeAll() -> [PendingWrite] {
        byteCount = groupByteCount
        defer { (pending, waiting) = ([], []) }
        return pending + waiting
    }

    /// The write that `cancellation` cancels, where it waits for room. It is gone from here then.
    mutating func removeWaiting(cancelledBy cancellation: PendingWrite.Cancellation) -> PendingWrite? {
        guard let index = waiting.firstIndex(where: { $0.isCancelled(by: cancellation) }) else { return nil }
        defer { admitWaiting() }
        return waiting.remove(at: index)
    }

    private mutating func admitWaiting() {
        guard !waiting.isEmpty else { return }
        var count = 0
        while count < waiting.count, hasRoom(for: waiting[count]) {
            byteCount += waiting[count].byteCount
            count += 1
        }
        pending += waiting[..<count]
        waiting.removeFirst(count)
    }
}
