@_spi(Adapters) package import TidelogCore

/// The rows of a page, encoded as the log keeps them. They are appended without being decoded if the store has nothing about
/// their records.
package final class EncodedPage: Sendable {
    private let bytes: [UInt8]
    /// The layout in which the rows are encoded.
    package let layout: ModelLayout

    /// - Parameter bytes: Rows that were encoded and checked with `layout`.
    package init(_ bytes: [UInt8], _ layout: ModelLayout) { (self.bytes, self.layout) = (bytes, layout) }

    /// The row at a range of the bytes.
    package func row(at range: Range<Int>) -> Row { Row(page: self, range: range) }

    /// A row of the page.
    package struct Row: ReceivedRow {
        fileprivate let page: EncodedPage
        fileprivate let range: Range<Int>

        package var layout: ModelLayout { page.layout }

        /// Calls `body` with a view of the row, which is valid only inside `body`.
        package func withView<Result>(_ body: (RowView) throws -> Result) throws -> Result {
            try page.bytes.withUnsafeBytes { try body(RowView(UnsafeRawBufferPointer(rebasing: $0[range]))) }
        }

        package var record: Record {
            do {
                return try withView { try Record($0, layout: layout) }
            } catch {
                preconditionFailure("a row that was encoded here can be decoded: \(error)")
            }
        }
    }
}
