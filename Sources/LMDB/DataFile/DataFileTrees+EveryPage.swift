/// Checks every page in use, for files that were not synced when the system stopped. In such a file, any page may have any
/// content.
extension DataFileTrees {
    /// Throws `damagedFile` if a page of a tree does not match the tree's record, belongs to two trees, or is listed as free.
    func checkEveryPage() throws(LMDBError) {
        var census = PageCensus(lastPage: meta.lastPage)
        var walked: [TreeRecord] = []
        try visit(meta.mainTree, &census) { (page, _) throws(LMDBError) in
            for node in page.nodes { walked.append(TreeRecord(page.bytes, at: node.dataOffset)) }
        }
        for tree in walked {
            try visit(tree, &census) { (page, census) throws(LMDBError) in
                for node in page.nodes where node.flags != DataFileLayout.NodeFlags.plain {
                    guard node.flags == DataFileLayout.NodeFlags.overflow else {
                        throw damaged("a keyspace has an unknown kind of entry")
                    }
                    _ = try overflowPages(of: node, in: page, &census)
                }
            }
        }
        try visit(meta.freeTree, &census) { (page, census) throws(LMDBError) in
            for node in page.nodes {
                let isLong = node.flags == DataFileLayout.NodeFlags.overflow
                if isLong { _ = try overflowPages(of: node, in: page, &census) }
                for number in try freePages(node, of: page) {
                    guard census.add(number) else { throw damaged("page \(number) is free and in use") }
                }
            }
        }
    }

    /// Visits the leaves of a tree. The number of all its pages must be the number in its record.
    private func visit(
        _ tree: TreeRecord, _ census: inout PageCensus,
        _ body: (TreePage, inout PageCensus) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let before = census
        var count = (pages: 0 as UInt64, entries: 0 as UInt64)
        if tree.root != DataFileLayout.noPage {
            try visit(tree.root, depth: tree.depth, &census, &count, body)
        }
        let overflow = census.overflowCount - before.overflowCount
        guard count.pages == tree.branchPages + tree.leafPages, count.entries == tree.entries,
            overflow == tree.overflowPages
        else { throw damaged("a tree has not as many pages or entries as it says") }
    }

    private func visit(
        _ number: UInt64, depth: UInt16, _ census: inout PageCensus, _ count: inout (pages: UInt64, entries: UInt64),
        _ body: (TreePage, inout PageCensus) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let page = try page(number, isLeaf: depth == 1)
        guard census.add(number) else { throw damaged("page \(number) is in use twice") }
        count.pages += 1
        if page.isLeaf {
            count.entries += UInt64(page.nodes.count)
            return try body(page, &census)
        }
        guard page.nodes.count > 1 else { throw damaged("branch page \(number) has one node") }
        for node in page.nodes { try visit(node.child, depth: depth - 1, &census, &count, body) }
    }

    private func overflowPages(
        of node: TreePage.Node, in page: TreePage, _ census: inout PageCensus
    ) throws(LMDBError) -> [UInt8] {
        let first: UInt64 = page.bytes.load(at: node.dataOffset)
        let bytes = try overflowPages(first, byteCount: node.dataByteCount)
        let count = UInt64((bytes.count + pageSize - 1) / pageSize)
        guard bytes.load(at: 12) as UInt32 == UInt32(truncatingIfNeeded: count) else {
            throw damaged("overflow page \(first) has another length than its entry")
        }
        for number in first..<first + count {
            guard census.add(number) else { throw damaged("page \(number) is in use twice") }
        }
        census.overflowCount += count
        return bytes
    }
}

/// The pages that were visited.
private struct PageCensus {
    private var words: [UInt64]
    private let lastPage: UInt64
    var overflowCount: UInt64 = 0

    init(lastPage: UInt64) {
        self.lastPage = lastPage
        words = Array(repeating: 0, count: Int(lastPage / 64) + 1)
        words[0] = 0b11
    }

    /// Adds a page. Returns whether it is in the file and was not added before.
    mutating func add(_ number: UInt64) -> Bool {
        guard number <= lastPage else { return false }
        let bit: UInt64 = 1 << (number % 64)
        defer { words[Int(number / 64)] |= bit }
        return words[Int(number / 64)] & bit == 0
    }
}
