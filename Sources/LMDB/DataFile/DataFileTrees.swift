/// The trees of a data file according to one meta page. They are read page by page, without mapping the file.
struct DataFileTrees {
    private static let operation: StaticString = "inspect the data file"

    let file: FileDescriptor
    let meta: MetaPage

    var pageSize: Int { Int(meta.pageSize) }

    /// Throws `damagedFile` if the roots, the main tree or the file's length are wrong.
    func check() throws(LMDBError) {
        let pagesInFile = UInt64(try file.byteCount(Self.operation)) / UInt64(pageSize)
        try checkRoot(meta.freeTree)
        try walk(meta.mainTree) { (page) throws(LMDBError) in try checkMainLeaf(page) }
        if pagesInFile <= meta.lastPage { try checkMissingPages(from: pagesInFile) }
    }

    private func checkRoot(_ tree: TreeRecord) throws(LMDBError) {
        guard tree.root != DataFileLayout.noPage else { return }
        let root = try page(tree.root, isLeaf: tree.depth == 1)
        guard !root.isLeaf || UInt64(root.nodes.count) == tree.entries else {
            throw damaged("page \(tree.root) has not as many entries as its tree")
        }
    }

    /// Checks that all values of the main tree are records of keyspaces.
    private func checkMainLeaf(_ page: TreePage) throws(LMDBError) {
        for node in page.nodes {
            guard node.flags == DataFileLayout.NodeFlags.tree,
                node.dataByteCount == DataFileLayout.treeRecordByteCount
            else { throw damaged("the main tree has an unknown kind of entry") }
            let tree = TreeRecord(page.bytes, at: node.dataOffset)
            guard tree.flags == 0 || tree.flags == DataFileLayout.TreeFlags.integerKeys, tree.padding == 0 else {
                throw damaged("a keyspace has unknown flags")
            }
            if let damage = tree.damage(lastPage: meta.lastPage) { throw damaged("a keyspace: \(damage)") }
            try checkRoot(tree)
        }
    }

    /// Checks that all pages that the file lacks are listed in the free tree. LMDB does not write a page that was allocated and
    /// freed in the same transaction, so the file may end early. If a missing page is not free, the file was cut short.
    private func checkMissingPages(from pagesInFile: UInt64) throws(LMDBError) {
        let missing = pagesInFile...meta.lastPage
        var free: Set<UInt64> = []
        try walk(meta.freeTree) { (page) throws(LMDBError) in
            for node in page.nodes {
                for number in try freePages(node, of: page) where missing.contains(number) { free.insert(number) }
            }
        }
        guard UInt64(free.count) == missing.upperBound - missing.lowerBound + 1 else {
            throw damaged("the file ends before page \(meta.lastPage)")
        }
    }

    /// The page numbers of an entry of the free tree: a count, followed by that many page numbers.
    func freePages(_ node: TreePage.Node, of page: TreePage) throws(LMDBError) -> [UInt64] {
        let word = MemoryLayout<UInt64>.size
        var bytes = page.bytes
        var offset = node.dataOffset
        if node.flags == DataFileLayout.NodeFlags.overflow {
            let number: UInt64 = page.bytes.load(at: node.dataOffset)
            bytes = try overflowPages(number, byteCount: node.dataByteCount)
            offset = DataFileLayout.pageHeaderByteCount
        } else if node.flags != DataFileLayout.NodeFlags.plain {
            throw damaged("the free tree has an unknown kind of entry")
        }
        guard node.dataByteCount >= word else { throw damaged("an entry of the free tree is cut short") }
        let count: UInt64 = bytes.load(at: offset)
        guard count < UInt64(node.dataByteCount / word) else { throw damaged("an entry of the free tree is cut short") }
        return (0..<Int(count)).map { bytes.load(at: offset + word * ($0 + 1)) }
    }

    func overflowPages(_ number: UInt64, byteCount: Int) throws(LMDBError) -> [UInt8] {
        let whole = DataFileLayout.pageHeaderByteCount + byteCount
        guard number > 1, number <= meta.lastPage else { throw damaged("an overflow page is outside the file") }
        // The number of bytes to read is limited by the file's size, not by the numbers that the file contains.
        guard Int64(whole) <= (try file.byteCount(Self.operation)) - Int64(number) * Int64(pageSize) else {
            throw damaged("an overflow page is cut short")
        }
        let bytes = try file.read(whole, at: Int64(number) * Int64(pageSize), Self.operation)
        guard bytes.count == whole, bytes.load(at: 0) == number,
            bytes.load(at: 10) == DataFileLayout.PageFlags.overflow
        else { throw damaged("page \(number) is not an overflow page") }
        return bytes
    }

    /// Visits the leaves of a tree in key order.
    private func walk(
        _ tree: TreeRecord, _ visit: (TreePage) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        guard tree.root != DataFileLayout.noPage else { return }
        var rest = (pages: tree.branchPages + tree.leafPages, entries: tree.entries)
        try walk(from: tree.root, depth: tree.depth, rest: &rest, visit)
        guard rest.pages == 0, rest.entries == 0 else { throw damaged("a tree has less in it than it says") }
    }

    private func walk(
        from number: UInt64, depth: UInt16, rest: inout (pages: UInt64, entries: UInt64),
        _ visit: (TreePage) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let page = try page(number, isLeaf: depth == 1)
        let entries = page.isLeaf ? UInt64(page.nodes.count) : 0
        guard rest.pages > 0, rest.entries >= entries else { throw damaged("a tree has more in it than it says") }
        rest.pages -= 1
        rest.entries -= entries
        if page.isLeaf { return try visit(page) }
        for node in page.nodes {
            try walk(from: node.child, depth: depth - 1, rest: &rest, visit)
        }
    }

    func page(_ number: UInt64, isLeaf: Bool) throws(LMDBError) -> TreePage {
        guard number > 1, number <= meta.lastPage else { throw damaged("page \(number) is outside the file") }
        let bytes = try file.read(pageSize, at: Int64(number) * Int64(pageSize), Self.operation)
        guard bytes.count == pageSize else { throw damaged("the file ends before page \(number)") }
        switch TreePage.parse(bytes, number: number, isLeaf: isLeaf) {
        case .success(let page): return page
        case .failure(let damage): throw damaged(damage.reason)
        }
    }

    func damaged(_ reason: String) -> LMDBError {
        LMDBError(.damagedFile, Self.operation, reason)
    }
}
