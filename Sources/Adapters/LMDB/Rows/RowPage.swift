@_spi(Adapters) internal import TidelogCore

/// The page of a result while its rows are returned.
final class RowPage {
    private let body: (StoredRow) throws -> Bool
    private var window: PageWindow
    /// The error of the receiver. It must not be treated as a failure of the adapter.
    private(set) var failure: (any Error)?

    init(_ page: Page, _ body: @escaping (StoredRow) throws -> Bool) {
        self.body = body
        window = PageWindow(page)
    }

    /// Skips the next row without reading it, if the page begins later.
    @inline(__always)
    func skip() -> Bool { window.skipsNext() }

    /// Passes `row` to the receiver if it is in the page. Returns whether more rows are wanted.
    @inline(__always)
    func add(_ row: StoredRow) -> Bool {
        guard window.admitsNext() else { return true }
        do { return try body(row) && window.hasRoom } catch {
            failure = error
            return false
        }
    }
}
