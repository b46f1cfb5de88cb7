/// Checks a data file before it is mapped. LMDB trusts the data that it reads, so a page number out of range would be a crash.
///
/// The inspection checks both meta pages, the roots of the free tree and of the main tree, every page of the main tree with the
/// roots of the keyspaces in it, and that no page in use is beyond the file's end. It reads the other pages of keyspaces only
/// on request.
struct DataFileInspection {
    private static let operation: StaticString = "inspect the data file"
    private static let attempts = 64

    let file: FileDescriptor
    /// Whether to read every page in use.
    let readsEveryPage: Bool

    /// Throws `damagedFile` or `versionMismatch`, or `busy` if another process changed the file during every attempt.
    func run() throws(LMDBError) {
        for _ in 0..<Self.attempts {
            let before = try? metaBytes()
            do throws(LMDBError) {
                return try inspect()
            } catch {
                // Another process may have written during the inspection. A file is damaged only if it did not change.
                guard let after = try? metaBytes() else { throw error }
                if before == after { throw error }
            }
        }
        throw LMDBError(.busy, Self.operation, "another process kept changing the file")
    }

    /// The first bytes of the first meta page, and of all pages that may be the second one.
    private func metaBytes() throws(LMDBError) -> [[UInt8]] {
        var pages = [try read(DataFileLayout.pageHeaderByteCount + DataFileLayout.metaByteCount, at: 0)]
        var size = Int64(DataFileLayout.pageSizes.lowerBound)
        while size <= Int64(DataFileLayout.pageSizes.upperBound) {
            pages.append(try read(DataFileLayout.pageHeaderByteCount + DataFileLayout.metaByteCount, at: size))
            size *= 2
        }
        return pages
    }

    private func inspect() throws(LMDBError) {
        try DataFileFormat.check(file, Self.operation)
        let first = try metaPage(0, at: 0)
        let second = try metaPage(1, at: Int64(first.pageSize))
        guard second.pageSize == first.pageSize else { throw damaged("the meta pages disagree about the page size") }
        try checkOrder(first, second)
        let newest = second.transactionID > first.transactionID ? second : first
        try checkTrees(newest)
        let trees = DataFileTrees(file: file, meta: newest)
        try trees.check()
        if readsEveryPage { try trees.checkEveryPage() }
    }

    private func metaPage(_ number: UInt64, at offset: Int64) throws(LMDBError) -> MetaPage {
        let bytes = try read(DataFileLayout.pageHeaderByteCount + DataFileLayout.metaByteCount, at: offset)
        guard let meta = MetaPage(bytes) else { throw damaged("meta page \(number) is cut short") }
        guard meta.magic == DataFileLayout.magic else { throw damaged("meta page \(number) has no magic number") }
        guard meta.version == DataFileLayout.version else {
            throw damaged("meta page \(number) has data format \(meta.version), which no version of LMDB has there")
        }
        guard meta.pageNumber == number, meta.pageFlags == DataFileLayout.PageFlags.meta else {
            throw damaged("page \(number) is not a meta page")
        }
        let size = meta.pageSize
        guard DataFileLayout.pageSizes.contains(size), size.nonzeroBitCount == 1 else {
            throw damaged("meta page \(number) has an impossible page size")
        }
        guard meta.lastPage >= 1, meta.lastPage < meta.mapSize / UInt64(size), meta.mapSize <= UInt64(Int.max) else {
            throw damaged("meta page \(number) has a last page outside the map")
        }
        let freeFlags = meta.freeTree.flags & ~DataFileLayout.TreeFlags.noSubdirectory
        guard freeFlags == DataFileLayout.TreeFlags.integerKeys, meta.mainTree.flags == 0, meta.mainTree.padding == 0
        else { throw damaged("meta page \(number) has unknown flags") }
        return meta
    }

    /// Checks the trees of the newest meta page only. After a failure, LMDB writes into the other meta page an old transaction
    /// with the roots of the transaction that failed.
    private func checkTrees(_ meta: MetaPage) throws(LMDBError) {
        for tree in [meta.freeTree, meta.mainTree] {
            if let damage = tree.damage(lastPage: meta.lastPage) {
                throw damaged("meta page \(meta.pageNumber): \(damage)")
            }
        }
    }

    /// Checks that transactions have written the two meta pages in turn. Even transactions write the first one.
    private func checkOrder(_ first: MetaPage, _ second: MetaPage) throws(LMDBError) {
        let (one, two) = (first.transactionID, second.transactionID)
        if one == 0 && two == 0 { return }
        guard one % 2 == 0, two % 2 == 1, max(one, two) - min(one, two) == 1 else {
            throw damaged("the meta pages are not of two successive transactions")
        }
    }

    private func read(_ count: Int, at offset: Int64) throws(LMDBError) -> [UInt8] {
        try file.read(count, at: offset, Self.operation)
    }

    private func damaged(_ reason: String) -> LMDBError {
        LMDBError(.damagedFile, Self.operation, reason)
    }
}

extension TreeRecord {
    /// A description of an impossible value in the tree's record, or `nil` if all values are possible.
    func damage(lastPage: UInt64) -> String? {
        if root == DataFileLayout.noPage {
            let isEmpty = depth == 0 && branchPages == 0 && leafPages == 0 && overflowPages == 0 && entries == 0
            return isEmpty ? nil : "a tree without a root has pages"
        }
        guard root > 1, root <= lastPage else { return "a root is outside the file" }
        guard depth > 0, depth <= DataFileLayout.deepestTree, leafPages > 0, entries > 0 else {
            return "a tree has an impossible shape"
        }
        guard branchPages <= lastPage, leafPages <= lastPage, overflowPages <= lastPage,
            branchPages + leafPages + overflowPages <= lastPage
        else { return "a tree has more pages than the file" }
        return nil
    }
}
