/// A meta page. It has the records of the free tree and of the main tree after one transaction.
package struct MetaPage: Equatable {
    package let pageNumber: UInt64
    package let pageFlags: UInt16
    package let magic: UInt32
    package let version: UInt32
    package let mapSize: UInt64
    package let freeTree: TreeRecord
    package let mainTree: TreeRecord
    package let lastPage: UInt64
    package let transactionID: UInt64

    package var pageSize: UInt32 { freeTree.padding }

    /// Reads a page's header and the meta data after it. The result is `nil` if the page is cut short.
    package init?(_ bytes: [UInt8]) {
        let start = DataFileLayout.pageHeaderByteCount
        guard bytes.count >= start + DataFileLayout.metaByteCount else { return nil }
        pageNumber = bytes.load(at: 0)
        pageFlags = bytes.load(at: 10)
        magic = bytes.load(at: start)
        version = bytes.load(at: start + 4)
        mapSize = bytes.load(at: start + 16)
        freeTree = TreeRecord(bytes, at: start + 24)
        mainTree = TreeRecord(bytes, at: start + 72)
        lastPage = bytes.load(at: start + 120)
        transactionID = bytes.load(at: start + 128)
    }
}
