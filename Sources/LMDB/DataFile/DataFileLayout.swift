/// The constants of LMDB's data format, version 1, in its 64-bit layout.
enum DataFileLayout {
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    static let noPage = UInt64.max
    static let pageSizes: ClosedRange<UInt32> = 512...32_768
    static let pageHeaderByteCount = 16
    static let metaByteCount = 136
    static let nodeHeaderByteCount = 8
    static let treeRecordByteCount = 48
    static let deepestTree: UInt16 = 32

    enum PageFlags {
        static let branch: UInt16 = 0x01
        static let leaf: UInt16 = 0x02
        static let overflow: UInt16 = 0x04
        static let meta: UInt16 = 0x08
    }

    enum NodeFlags {
        static let plain: UInt16 = 0
        static let overflow: UInt16 = 0x01
        static let tree: UInt16 = 0x02
    }

    enum TreeFlags {
        static let integerKeys: UInt16 = 0x08
        /// A flag that LMDB stores with the flags of the free tree in files that were opened by their own name.
        static let noSubdirectory: UInt16 = 0x4000
    }
}

/// LMDB's record of one tree. Each meta page has the records of two trees, and the main tree has all other records.
struct TreeRecord: Equatable {
    let padding: UInt32
    let flags: UInt16
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    init(_ bytes: [UInt8], at offset: Int) {
        padding = bytes.load(at: offset)
        flags = bytes.load(at: offset + 4)
        depth = bytes.load(at: offset + 6)
        branchPages = bytes.load(at: offset + 8)
        leafPages = bytes.load(at: offset + 16)
        overflowPages = bytes.load(at: offset + 24)
        entries = bytes.load(at: offset + 32)
        root = bytes.load(at: offset + 40)
    }
}

/// A meta page. It has the records of the free tree and of the main tree after one transaction.
struct MetaPage: Equatable {
    let pageNumber: UInt64
    let pageFlags: UInt16
    let magic: UInt32
    let version: UInt32
    let mapSize: UInt64
    let freeTree: TreeRecord
    let mainTree: TreeRecord
    let lastPage: UInt64
    let transactionID: UInt64

    var pageSize: UInt32 { freeTree.padding }

    /// Reads a page's header and the meta data after it. The result is `nil` if the page is cut short.
    init?(_ bytes: [UInt8]) {
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

extension [UInt8] {
    /// Reads a number in native byte order.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
