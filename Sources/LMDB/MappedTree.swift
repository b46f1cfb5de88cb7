internal import CLMDB
internal import CSystem

/// One tree in a snapshot, which is read from the map without LMDB's functions.
///
/// Each page is checked to be inside of the file, and everything that is read to be inside of its page. A page that does not
/// fit counts as missing. If it is damaged, LMDB reports that when it reads the same page.
struct MappedTree {
    /// The number of the page where each search begins.
    let root: UInt64
    /// The number of levels. The last one has the entries.
    let depth: Int
    let pages: tidelog_pages

    /// The number of the page below the branch `number` that has `key`, or would have it. The result is no page's number if
    /// there is no such branch.
    func child(of number: UInt64, for key: UnsafeRawBufferPointer) -> UInt64 {
        child(at: index(of: key, in: number), of: number)
    }

    /// The index in the branch `number` of the page that has `key`, or would have it. The result is no page's index if there is
    /// no such branch.
    func index(of key: UnsafeRawBufferPointer, in number: UInt64) -> Int {
        guard let bytes = key.baseAddress else { return 0 }
        return tidelog_find_index(pages, number, bytes, key.count)
    }

    /// The number of the page at `index` in the branch `number`. The result is no page's number if there is no such page.
    func child(at index: Int, of number: UInt64) -> UInt64 { tidelog_find_child(pages, number, index) }

    /// Whether the page `number` begins at `address`.
    func isPage(_ number: UInt64, at address: UInt) -> Bool {
        number < pages.page_count && UInt(bitPattern: pages.base) + UInt(number) * UInt(pages.page_size) == address
    }

    /// The bytes of the page `number`. There are none if it is not inside of the file.
    func bytes(of number: UInt64) -> UnsafeRawBufferPointer {
        guard let start = tidelog_page_start(pages, number) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: pages.page_size)
    }

    /// Asks the processor for the first bytes of the page `number`.
    func prefetch(_ number: UInt64) { tidelog_prefetch_page(pages, number) }

    /// Asks the processor for the keys of the leaf `number` that a search compares first.
    func prefetchKeys(of number: UInt64) { tidelog_prefetch_leaf(pages, number) }

    /// The value of `key` in the leaf `number`, or `nil` if it is not there or on pages of its own.
    func value(of key: UnsafeRawBufferPointer, in number: UInt64) -> UnsafeRawBufferPointer? {
        guard let bytes = key.baseAddress else { return nil }
        var count = 0
        guard let value = tidelog_find_value(pages, number, bytes, key.count, &count) else { return nil }
        return UnsafeRawBufferPointer(start: value, count: count)
    }
}

extension MappedTree {
    /// LMDB's identifier of the tree with the records of all named trees.
    private static let mainTree: MDB_dbi = 1

    /// The tree with `name` in the snapshot of `transaction`, which only reads. It is `nil` if the tree has no branches, if its
    /// keys are integers, and if the places of its pages in memory are unknown.
    init?(_ transaction: Transaction, named name: String) {
        guard let handle = transaction.handle, let pointer = transaction.pointer else { return nil }
        var name = name
        var record = MDB_val()
        let result = name.withUTF8 { bytes in
            var key = MDB_val(UnsafeRawBufferPointer(bytes))
            return mdb_get(pointer, Self.mainTree, &key, &record)
        }
        guard result == MDB_SUCCESS, record.mv_size == DataFileLayout.treeRecordByteCount, let start = record.mv_data,
            let pages = tidelog_pages(around: start, of: handle)
        else { return nil }
        let tree = TreeRecord(Array(UnsafeRawBufferPointer(record)), at: 0)
        guard (2...DataFileLayout.deepestTree).contains(tree.depth), tree.flags == 0 else { return nil }
        self.init(root: tree.root, depth: Int(tree.depth), pages: pages)
    }
}

extension tidelog_pages {
    /// The pages of the file that has `address` in one of its leaves.
    fileprivate init?(around address: UnsafeRawPointer, of handle: EnvironmentHandle) {
        var information = MDB_envinfo()
        guard let size = handle.alignedPageSize,
            let page = UnsafeRawPointer(bitPattern: UInt(bitPattern: address) & ~UInt(size - 1)),
            mdb_env_info(handle.pointer, &information) == MDB_SUCCESS
        else { return nil }
        let count = UInt64(min(information.me_last_pgno + 1, information.me_mapsize / size))
        let number = page.load(as: UInt64.self)
        guard number < count else { return nil }
        self.init(base: page - Int(number) * size, page_size: size, page_count: count)
        guard tidelog_find_page(self, number, UInt16(TIDELOG_LEAF)) != nil else { return nil }
    }
}
