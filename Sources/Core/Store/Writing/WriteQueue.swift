/// The queue of writes before the writer.
///
/// The writes of the next group are in a list of limited size. Further writes wait, in order, until the list has room.
/// A waiting write blocks its task, but no thread.
struct WriteQueue {
    private let byteLimit: Int
    /// The writes of the next group.
    private var pending: [PendingWrite] = []
    /// The writes that wait for room, in order. The array is empty unless a group is running or writes are pending.
    private var waiting: [PendingWrite] = []
    /// The size of the group that is running.
    private var groupByteCount = 0
    /// The size of the group that is running and the pending writes.
    private(set) var byteCount = 0

    init(byteLimit: Int = Limits.pendingByteCount) {
        precondition(byteLimit > 0, "a queue has room for a write")
        self.byteLimit = byteLimit
    }

    /// How many writes wait for room.
    var waitingCount: Int { waiting.count }

    /// Whether there is room for a write. A write that is larger than the limit has room if it is the only one.
    private func hasRoom(for write: PendingWrite) -> Bool {
        byteCount == 0 || write.byteCount <= byteLimit - byteCount
    }

    mutating func append(_ write: PendingWrite) {
        guard waiting.isEmpty, hasRoom(for: write) else { return waiting.append(write) }
        byteCount += write.byteCount
        pending.append(write)
    }

    /// The writes of the next group, empty if none are queued. The group before it has ended.
    mutating func takeGroup() -> [PendingWrite] {
        _ = endGroup()
        groupByteCount = byteCount
        defer { pending = [] }
        return pending
    }

    /// Notes that the last group has ended. Returns whether there is another one.
    mutating func endGroup() -> Bool {
        byteCount -= groupByteCount
        groupByteCount = 0
        assert(byteCount == pending.reduce(0) { $0 + $1.byteCount }, "only pending writes count after a group")
        admitWaiting()
        return !pending.isEmpty
    }

    /// Removes and returns all queued writes.
    mutating func takeAll() -> [PendingWrite] {
        byteCount = groupByteCount
        defer { (pending, waiting) = ([], []) }
        return pending + waiting
    }

    /// Removes and returns the write that `cancellation` belongs to, if it waits for room.
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
        assert(waiting.isEmpty || byteCount > 0, "a write waits only if another write is queued or runs")
    }
}
