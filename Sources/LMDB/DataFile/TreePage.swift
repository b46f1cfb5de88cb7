/// A branch or leaf page of a data file. It was checked that its header and nodes are inside the page.
package struct TreePage {
    /// One entry of a page.
    package struct Node {
        package let flags: UInt16
        /// The start of the data, in bytes from the page's start.
        package let dataOffset: Int
        /// The number of bytes of the data, which may be on overflow pages.
        package let dataByteCount: Int
        /// The child page of an entry of a branch.
        package let child: UInt64
    }

    let bytes: [UInt8]
    let isLeaf: Bool
    let nodes: [Node]

    /// Reads a page. Returns the page, or the reason why the bytes are not such a page.
    static func parse(_ bytes: [UInt8], number: UInt64, isLeaf: Bool) -> Result<TreePage, Damage> {
        let header = DataFileLayout.pageHeaderByteCount
        guard bytes.load(at: 0) == number else { return .failure(Damage("page \(number) carries another number")) }
        let flags: UInt16 = bytes.load(at: 10)
        guard flags == (isLeaf ? DataFileLayout.PageFlags.leaf : DataFileLayout.PageFlags.branch) else {
            return .failure(Damage("page \(number) is of the wrong kind"))
        }
        let lower = Int(bytes.load(at: 12) as UInt16)
        let upper = Int(bytes.load(at: 14) as UInt16)
        guard lower > header, lower % 2 == 0, lower <= upper, upper < bytes.count else {
            return .failure(Damage("page \(number) has impossible bounds"))
        }
        var nodes: [Node] = []
        nodes.reserveCapacity((lower - header) / 2)
        for position in stride(from: header, to: lower, by: 2) {
            guard let node = node(bytes, at: Int(bytes.load(at: position) as UInt16), from: upper, isLeaf: isLeaf)
            else { return .failure(Damage("page \(number) has a node outside of it")) }
            nodes.append(node)
        }
        return .success(TreePage(bytes: bytes, isLeaf: isLeaf, nodes: nodes))
    }

    package static func node(_ bytes: [UInt8], at offset: Int, from upper: Int, isLeaf: Bool) -> Node? {
        let header = DataFileLayout.nodeHeaderByteCount
        guard offset >= upper, offset + header <= bytes.count else { return nil }
        let low: UInt16 = bytes.load(at: offset)
        let high: UInt16 = bytes.load(at: offset + 2)
        let flags: UInt16 = bytes.load(at: offset + 4)
        let dataOffset = offset + header + Int(bytes.load(at: offset + 6) as UInt16)
        let number = UInt64(low) | UInt64(high) << 16
        guard isLeaf else {
            guard dataOffset <= bytes.count else { return nil }
            return Node(flags: 0, dataOffset: dataOffset, dataByteCount: 0, child: number | UInt64(flags) << 32)
        }
        let inPage = flags & DataFileLayout.NodeFlags.overflow != 0 ? MemoryLayout<UInt64>.size : Int(number)
        guard dataOffset + inPage <= bytes.count else { return nil }
        return Node(flags: flags, dataOffset: dataOffset, dataByteCount: Int(number), child: 0)
    }
}

extension TreePage {
    /// The reason why a data file is damaged.
    struct Damage: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}
