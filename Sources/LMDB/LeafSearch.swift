/// Looks up several keys of a large keyspace at once.
///
/// LMDB looks up one key after another, and waits for memory several times for each, because the page with a key is rarely in a
/// cache. This search goes down the tree with all keys together and asks the processor for all their leaves, so that the waits
/// overlap. Values that it does not find are left to ``Transaction/get(_:_:)``: missing ones, and those on pages of their own.
public struct LeafSearch {
    private let tree: MappedTree
    /// The page that the search for each key has reached.
    private var pages: [UInt64] = []

    init(_ tree: MappedTree) { self.tree = tree }

    /// Finds the leaves that have `keys`, or would have them.
    public mutating func find(_ keys: [UnsafeRawBufferPointer]) {
        pages.removeAll(keepingCapacity: true)
        for _ in keys.indices { pages.append(tree.root) }
        // All keys go down one level before the next level, so that each page has time to arrive.
        for _ in 1..<tree.depth {
            for index in keys.indices {
                pages[index] = tree.child(of: pages[index], for: keys[index])
                tree.prefetch(pages[index])
            }
        }
        for index in pages.indices { tree.prefetchKeys(of: pages[index]) }
    }

    /// The value of `key`, which was at `index` in the last call of ``find(_:)``, if it is in the leaf.
    public func value(of key: UnsafeRawBufferPointer, at index: Int) -> UnsafeRawBufferPointer? {
        tree.value(of: key, in: pages[index])
    }
}

extension Transaction {
    /// A search in the keyspace with `name`. It is valid until this transaction ends or is reset. It is `nil` if the tree has
    /// only one leaf or integer keys, if the places of its pages in memory are unknown, and in a write transaction, whose pages
    /// are not all in the map.
    public final func leafSearch(ofKeyspaceNamed name: String) -> LeafSearch? {
        isReadOnly ? MappedTree(self, named: name).map(LeafSearch.init) : nil
    }
}
