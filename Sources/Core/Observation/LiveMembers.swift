/// Records in a query's order.
///
/// They are stored in chunks of limited size, so that inserting a record among many moves only a few.
struct LiveMembers<Value> {
    struct Member {
        /// The bytes by which members are sorted: the sort's components, followed by the key.
        let order: [UInt8]
        let key: [UInt8]
        let value: Value
        /// A 64-bit hash of the record's row, which distinguishes two states of the record.
        let fingerprint: Int
    }

    /// No chunk is empty.
    private var chunks: [[Member]] = []
    private(set) var count = 0

    private static var chunkCapacity: Int { 512 }

    var last: Member? { chunks.last?.last }

    /// Adds a member, or replaces the member with the same order.
    mutating func put(_ member: Member) {
        guard !chunks.isEmpty else {
            chunks = [[member]]
            count = 1
            return
        }
        let place = place(of: member.order)
        if place.isTaken {
            chunks[place.chunk][place.position] = member
            return
        }
        count += 1
        chunks[place.chunk].insert(member, at: place.position)
        guard chunks[place.chunk].count > Self.chunkCapacity else { return }
        let middle = chunks[place.chunk].count / 2
        let upper = Array(chunks[place.chunk][middle...])
        chunks[place.chunk].removeSubrange(middle...)
        chunks.insert(upper, at: place.chunk + 1)
    }

    /// Removes the member at `order`; returns whether there was one.
    @discardableResult
    mutating func remove(_ order: [UInt8]) -> Bool {
        let place = place(of: order)
        guard place.isTaken else { return false }
        chunks[place.chunk].remove(at: place.position)
        if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
        count -= 1
        return true
    }

    /// Removes and returns the last member.
    mutating func removeLast() -> Member {
        precondition(count > 0, "there is a last member to remove")
        let member = chunks[chunks.count - 1].removeLast()
        if chunks[chunks.count - 1].isEmpty { chunks.removeLast() }
        count -= 1
        return member
    }

    /// Passes the members in `range` to `body`. The range may reach beyond the last member.
    func forEach(in range: Range<Int>, _ body: (Member) -> Void) {
        var start = 0
        for chunk in chunks {
            defer { start += chunk.count }
            guard start < range.upperBound else { return }
            let lower = max(range.lowerBound - start, 0)
            let upper = min(range.upperBound - start, chunk.count)
            if lower < upper { chunk[lower..<upper].forEach(body) }
        }
    }

    /// The place of the member with `order`, or the place where it would be inserted.
    private func place(of order: [UInt8]) -> (chunk: Int, position: Int, isTaken: Bool) {
        let chunk = max(0, Self.partition(chunks.count) { !order.precedes(chunks[$0][0].order) } - 1)
        guard chunk < chunks.count else { return (0, 0, false) }
        let members = chunks[chunk]
        let position = Self.partition(members.count) { members[$0].order.precedes(order) }
        return (chunk, position, position < members.count && !order.precedes(members[position].order))
    }

    /// The number of leading places that satisfy `isBefore`. All places that satisfy it must come before all that do not.
    private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(middle) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

extension [UInt8] {
    /// Whether these bytes sort before `other`, compared byte by byte.
    @inline(__always)
    func precedes(_ other: [UInt8]) -> Bool {
        withUnsafeBytes { left in other.withUnsafeBytes { ByteComparison.order(left, $0) < 0 } }
    }
}
