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
    private func walk(_ tree: TreeRecord, _ visit: (TreePage) throws(LMDBError) -> Void) throws(LMDBError) {
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
        for node in page.nodes { try walk(from: node.child, depth: depth - 1, rest: &rest, visit) }
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

    func damaged(_ reason: String) -> LMDBError { LMDBError(.damagedFile, Self.operation, reason) }
}

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
