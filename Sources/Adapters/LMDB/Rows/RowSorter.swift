@_spi(Adapters) internal import TidelogCore

/// Sorts rows, or finds the first rows of an order, by encoded sort keys that are compared byte by byte.
///
/// Rows are stored as references to their memory, which does not change because nothing is written while a query runs.
final class RowSorter {
    private let components: ContiguousArray<(component: IndexKey.Component, isDescending: Bool)>
    /// The largest number of rows in the result.
    private let limit: Int
    private var run = KeyRun()
    /// The number of collected rows at which all rows except those for the result are dropped.
    private let capacity: Int
    /// The last row for the result at the last such time. Rows after it need not be kept.
    private var last: KeyRun.Entry?

    private static let locationByteCount = 16

    init(_ sort: [(field: FieldLayout, isDescending: Bool)], page: Page) {
        components = ContiguousArray(sort.map { (IndexKey.Component($0.field), $0.isDescending) })
        limit = page.end ?? .max
        capacity = limit > .max / 2 ? .max : max(limit * 2, 1_024)
    }

    /// Adds `row`, whose bytes must stay valid.
    func add(_ row: StoredRow) throws {
        let arena = run.arena
        var byteCount = row.key.count + Self.locationByteCount
        for (component, _) in components { byteCount += try component.maximumByteCount(in: row.row) }
        let base = arena.reserve(byteCount)
        var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
        for (component, isDescending) in components {
            let start = encoder.byteCount
            try encoder.append(component, of: row.row)
            guard isDescending else { continue }
            for offset in start..<encoder.byteCount {
                base.storeBytes(
                    of: ~base.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
            }
        }
        encoder.append(raw: row.key)
        let keyByteCount = encoder.byteCount
        let mark = UInt32(row.key.count)
        if let last, !run.precedes(run.candidate(keyByteCount, mark: mark), last) { return }
        let value = row.row.bytes.baseAddress.map { $0 - StoredRow.headerByteCount }
        base.storeBytes(of: value, toByteOffset: keyByteCount, as: UnsafeRawPointer?.self)
        base.storeBytes(
            of: row.row.bytes.count + StoredRow.headerByteCount, toByteOffset: keyByteCount + 8, as: Int.self)
        run.take(keyByteCount, mark: mark, extra: Self.locationByteCount)
        if run.entries.count >= capacity { prune() }
    }

    private func prune() {
        run.sort()
        run.keep(first: limit, extra: Self.locationByteCount)
        last = run.entries.last
    }

    /// Passes the keys and values of the rows to `body`, in order, until it returns false. Returns the last result of `body`.
    func forEach(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        run.sort()
        for entry in run.entries.prefix(limit) {
            let bytes = run.bytes(entry)
            guard let base = bytes.baseAddress else { continue }
            let key = UnsafeRawBufferPointer(rebasing: bytes.suffix(Int(entry.mark)))
            let value = UnsafeRawBufferPointer(
                start: base.loadUnaligned(fromByteOffset: bytes.count, as: UnsafeRawPointer?.self),
                count: base.loadUnaligned(fromByteOffset: bytes.count + 8, as: Int.self))
            guard try body(key, value) else { return false }
        }
        return true
    }
}
