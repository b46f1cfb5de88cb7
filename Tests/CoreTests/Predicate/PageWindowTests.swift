import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite("The window of a page")
struct PageWindowTests {
    private static let pages: [Page] = [
        .all, .first(0), .first(1), .first(7), .first(100), Page(offset: 3), Page(offset: 3, limit: 0),
        Page(offset: 3, limit: 4), Page(offset: 9, limit: 5), Page(offset: 100, limit: 1), Page(limit: .max),
        Page(offset: .max), Page(offset: .max, limit: .max), Page(offset: 5, limit: .max),
    ]

    @Test(
        "the window admits exactly the rows of the page, and reads no row after the page", arguments: [0, 1, 3, 10, 12])
    func admits(rowCount: Int) {
        for page in Self.pages {
            var window = PageWindow(page)
            var admitted: [Int] = []
            var readCount = 0
            for row in 0..<rowCount where window.hasRoom {
                readCount += 1
                if window.admitsNext() { admitted.append(row) }
            }
            let rows = Array(0..<rowCount)
            let expected = Array(page.slice(of: rows))
            #expect(admitted == expected && admitted == Array(rows.dropFirst(page.offset).prefix(page.limit ?? .max)))
            // No row after the page is read.
            #expect(readCount == min(rowCount, page.end ?? .max))
        }
    }

    @Test("a row before the page is skipped without being read")
    func skips() {
        var window = PageWindow(Page(offset: 2, limit: 1))
        #expect(window.skipsNext() && window.skipsNext() && !window.skipsNext())
        #expect(window.admitsNext() && !window.hasRoom)
    }

    @Test("a page does not end if it has no limit or if its end exceeds the largest number")
    func ends() {
        #expect(Page.all.end == nil && Page(offset: 5).end == nil && Page(offset: 5, limit: .max).end == nil)
        #expect(Page(offset: 5, limit: 3).end == 8 && Page(offset: .max, limit: 0).end == 0)
    }
}
