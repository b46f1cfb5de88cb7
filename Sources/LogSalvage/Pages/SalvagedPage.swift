internal import TidelogLMDB

/// A branch or leaf page whose nodes are checked one by one, so that a damaged node does not affect other nodes.
struct SalvagedPage {
    /// One entry of the page.
    struct Node {
        let flags: UInt16
        let key: Range<Int>
        /// The start of the data, in bytes from the page's start.
        let dataOffset: Int
        /// The number of bytes of the data, which may be on overflow pages.
        let dataByteCount: Int
        /// The child page of an entry of a branch.
        let child: UInt64
    }

    let bytes: [UInt8]
    let isLeaf: Bool
    let nodes: [Node]
    /// Whether all nodes that the page lists are valid.
    let isWhole: Bool

    /// Reads the page. The result is `nil` if its header is not that of a branch or leaf page.
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
