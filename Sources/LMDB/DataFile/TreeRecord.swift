/// LMDB's record of one tree. Each meta page has the records of two trees, and the main tree has all other records.
package struct TreeRecord: Equatable {
    package let padding: UInt32
    package let flags: UInt16
    package let depth: UInt16
    package let branchPages: UInt64
    package let leafPages: UInt64
    package let overflowPages: UInt64
    package let entries: UInt64
    package let root: UInt64

    package init(_ bytes: [UInt8], at offset: Int) {
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
