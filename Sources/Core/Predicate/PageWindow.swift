/// Finds the rows of a page while the rows of a result are read in order.
@_spi(Adapters) public struct PageWindow: Sendable {
    private var skipCount: Int
    private var remainingCount: Int

    /// The window of `page` before the first row of the result.
    @inline(__always)
    public init(_ page: Page) {
        skipCount = page.offset
        remainingCount = page.limit ?? .max
    }

    /// Whether the page has room for more rows.
    @inline(__always)
    public var hasRoom: Bool { remainingCount > 0 }

    /// Counts the next row and returns whether it is in the page. The page must have room.
    @inline(__always)
    public mutating func admitsNext() -> Bool {
        assert(hasRoom, "no row is read after a page is full")
        if skipsNext() { return false }
        remainingCount -= 1
        return true
    }

    /// Counts the next row if it comes before the page, and returns whether it does. Such a row need not be read.
    @inline(__always)
    public mutating func skipsNext() -> Bool {
        guard skipCount > 0 else { return false }
        skipCount -= 1
        return true
    }
}

extension Page {
    /// The number of rows from the start of the result to the page's end, or `nil` if the page has no end.
    @_spi(Adapters) public var end: Int? {
        guard let limit else { return nil }
        guard limit > 0 else { return 0 }
        let (end, overflows) = offset.addingReportingOverflow(limit)
        return overflows ? nil : end
    }

    /// The elements of this page in a whole result.
    func slice<Element>(of result: [Element]) -> ArraySlice<Element> {
        result.dropFirst(offset).prefix(limit ?? .max)
    }
}
