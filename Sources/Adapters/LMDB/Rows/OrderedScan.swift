@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// Reads a range of keys in the order of a query: by fields, ascending or descending, and by ascending primary key among equal
/// fields.
///
/// A descending scan therefore visits the runs of equal fields backwards, and reads each run forwards.
struct OrderedScan {
    typealias Visit = (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    /// Gets keys that are in no particular order.
    typealias VisitLong = ([UnsafeRawBufferPointer]) throws -> Bool

    private let cursor: Cursor
    private let range: KeyRange
    private let isDescending: Bool
    private let groupComponentCount: Int
    /// The length in bytes beyond which keys with the same first bytes are in no particular order.
    private let componentLimit: Int
    /// The leaves that an ascending scan reads next.
    private let readAhead: LeafReadAhead?

    private static let shortRunCount = 64

    init(_ cursor: Cursor, _ plan: AccessPlan, componentLimit: Int, readAhead: LeafReadAhead? = nil) {
        self.cursor = cursor
        self.componentLimit = componentLimit
        self.readAhead = readAhead
        range = plan.range
        isDescending = plan.isDescending
        groupComponentCount = plan.groupComponentCount
    }

    /// Visits the entries in order until a visitor returns false.
    func run(long: VisitLong, _ visit: Visit) throws {
        try range.lower.withUnsafeBytes { lower in
            try range.upper.withUnsafeBytes { upper in
                guard lower.precedes(upper) else { return }
                if isDescending {
                    try runDescending(from: lower, to: upper, long: long, visit)
                } else {
                    try runAscending(from: lower, to: upper, long: long, visit)
                }
            }
        }
    }

    private func isLong(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count > componentLimit && IndexKey.isLong(key, componentCount: groupComponentCount)
    }

    private func runAscending(
        from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer, long: VisitLong, _ visit: Visit
    ) throws {
        var entries = cursor.ascending(readAhead)
        var entry = try entries.first(atLeast: lower)
        while let current = entry, current.key.precedes(upper) {
            if isLong(current.key) {
                guard try long(try collect(&entry, from: lower, to: upper) { try entries.next() }) else { return }
            } else {
                guard try visit(current.key, current.value) else { return }
                entry = try entries.next()
            }
        }
    }

    /// The keys in the range with the same first bytes as `entry`. Afterwards `entry` is the entry beyond them.
    private func collect(
        _ entry: inout Cursor.Entry?, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer,
        _ move: () throws -> Cursor.Entry?
    ) throws -> [UnsafeRawBufferPointer] {
        guard let first = entry else { return [] }
        let shared = UnsafeRawBufferPointer(rebasing: first.key.prefix(IndexKey.keptByteCount))
        var keys: [UnsafeRawBufferPointer] = []
        while let current = entry, current.key.begins(with: shared), !current.key.precedes(lower),
            current.key.precedes(upper)
        {
            keys.append(current.key)
            entry = try move()
        }
        return keys
    }

    private func runDescending(
        from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer, long: VisitLong, _ visit: Visit
    ) throws {
        var entry = try cursor.seek(before: upper)
        var run: [Cursor.Entry] = []
        while let current = entry, !current.key.precedes(lower) {
            if isLong(current.key) {
                guard try long(try collect(&entry, from: lower, to: upper) { try cursor.previous() }) else { return }
                continue
            }
            guard let end = IndexKey.end(ofComponents: groupComponentCount, in: current.key) else {
                throw damaged("a key does not decode")
            }
            let fields = UnsafeRawBufferPointer(rebasing: current.key[..<end])
            run.removeAll(keepingCapacity: true)
            while let member = entry, run.count <= Self.shortRunCount, member.key.begins(with: fields, of: end),
                !member.key.precedes(lower)
            {
                run.append(member)
                entry = try cursor.previous()
            }
            if run.count <= Self.shortRunCount {
                for member in run.reversed() { guard try visit(member.key, member.value) else { return } }
            } else {
                guard try runForwards(fields, from: lower, to: upper, visit) else { return }
                entry = try cursor.seek(before: fields)
            }
        }
    }

    /// Visits the entries whose first components are `fields`, in ascending order.
    private func runForwards(
        _ fields: UnsafeRawBufferPointer, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer,
        _ visit: Visit
    ) throws -> Bool {
        var entries = cursor.ascending()
        var entry = try entries.first(atLeast: fields.precedes(lower) ? lower : fields)
        while let current = entry, current.key.begins(with: fields, of: fields.count), current.key.precedes(upper) {
            guard try visit(current.key, current.value) else { return false }
            entry = try entries.next()
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes begin with the whole components `fields`, which end at `end`.
    ///
    /// After an encoded text, there may be an escape with which the text continues. In that case, the component is a different
    /// one.
    @inline(__always)
    fileprivate func begins(with fields: UnsafeRawBufferPointer, of end: Int) -> Bool {
        begins(with: fields) && !(count > end && self[end] == 0xFF)
    }
}
