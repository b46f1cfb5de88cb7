@_spi(Adapters) internal import TidelogCore

/// The page of a result that is being handed out.
final class RowPage {
    private let body: (StoredRow) throws -> Bool
    private var offset: Int
    private var remaining: Int
    /// What the receiver threw: not to be taken for a failure of the adapter.
    private(set) var failure: (any Error)?

    init(_ page: Page, _ body: @escaping (StoredRow) throws -> Bool) {
        self.body = body
        offset = page.offset
        remaining = page.limit ?? .max
    }

    /// Leaves out the next row, unread, if the page starts further on.
    @inline(__always)
    func skip() -> Bool {
        guard offset > 0 else { return false }
        offset -= 1
        return true
    }

    /// Hands out `row` if the page has it; answers whether more are wanted.
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
