@_spi(Adapters) internal import TidelogCore

/// The page of a result while its rows are returned.
final class RowPage {
    private let body: (StoredRow) throws -> Bool
    private var offset: Int
    private var remaining: Int
    /// The error of the receiver. It must not be treated as a failure of the adapter.
    private(set) var failure: (any Error)?

    init(_ page: Page, _ body: @escaping (StoredRow) throws -> Bool) {
        self.body = body
        offset = page.offset
        remaining = page.limit ?? .max
    }

    /// Skips the next row without reading it, if the page begins later.
    @inline(__always)
    func skip() -> Bool {
        guard offset > 0 else { return false }
        offset -= 1
        return true
    }

    /// Passes `row` to the receiver if it is in the page. Returns whether more rows are wanted.
    @inline(__always)
    func add(_ row: StoredRow) -> Bool {
        if skip() { return true }
        remaining -= 1
        do { return try body(row) && remaining > 0 } catch {
            failure = error
            return false
        }
    }
}
