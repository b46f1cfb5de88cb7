/// A branch or leaf page whose nodes are looked at one by one, so that a damaged node costs no other.
struct LoosePage {
    /// One entry, within its page.
    struct Node {
        let flags: UInt16
        let key: Range<Int>
        /// Where the data begins, in bytes from the page's start.
        let dataOffset: Int
        /// Bytes of the data, also if it is on overflow pages.
        let dataByteCount: Int
        /// The page a branch leads to.
        let child: UInt64
    }

    let bytes: [UInt8]
    let isLeaf: Bool
    let nodes: [Node]
    /// Whether every node that the page lists is one.
    let isWhole: Bool

    /// The page; `nil` if its header is not one of such a page.
    init?(_ bytes: [UInt8], number: UInt64) {
        let header = DataFileLayout.pageHeaderByteCount
        guard bytes.count >= header, bytes.load(at: 0) as UInt64 == number else { return nil }
        switch bytes.load(at: 10) as UInt16 {
        case DataFileLayout.PageFlags.branch: isLeaf = false
        case DataFileLayout.PageFlags.leaf: isLeaf = true
        default: return nil
        }
        let lower = Int(bytes.load(at: 12) as UInt16)
        let upper = Int(bytes.load(at: 14) as UInt16)
        guard lower >= header, lower % 2 == 0, lower <= upper, upper <= bytes.count else { return nil }
        var found: [Node] = []
        for position in stride(from: header, to: lower, by: 2) {
            let offset = Int(bytes.load(at: position) as UInt16)
            guard let node = TreePage.node(bytes, at: offset, from: upper, isLeaf: isLeaf) else { continue }
            let key = offset + DataFileLayout.nodeHeaderByteCount..<node.dataOffset
            found.append(
                Node(
                    flags: node.flags, key: key, dataOffset: node.dataOffset, dataByteCount: node.dataByteCount,
                    child: node.child))
        }
        self.bytes = bytes
        nodes = found
        isWhole = found.count == (lower - header) / 2
    }

    func key(of node: Node) -> [UInt8] { Array(bytes[node.key]) }
}
