/// Asks the processor for the leaves of several keys at once, before LMDB looks up the keys one after another.
///
/// In a large tree, LMDB waits for memory several times for each key, because the page with the key is rarely in a cache. This
/// type reads the branches of the tree as LMDB does, and asks for all the leaves together, so that LMDB waits less. Only LMDB
/// answers: it looks up each key itself. If a page is not as expected, nothing is asked for.
public struct LeafPrefetch {
    private let tree: MappedTree
    /// The page that the search for each key has reached.
    private var pages: [UInt64] = []

    init(_ tree: MappedTree) { self.tree = tree }

    /// Asks for the leaves that have `keys`, or would have them.
    public mutating func prefetch(_ keys: [UnsafeRawBufferPointer]) {
        pages.removeAll(keepingCapacity: true)
        for _ in keys.indices { pages.append(tree.root) }
        // All keys go down one level before the next level, so that each page has time to arrive.
        for _ in 1..<tree.depth {
            for index in keys.indices { pages[index] = tree.child(of: pages[index], for: keys[index]) }
        }
        for index in pages.indices { tree.prefetchKeys(of: pages[index]) }
    }
}

extension Transaction {
    /// A prefetch of leaves of the keyspace with `name`. It is valid until this transaction ends or is reset. It is `nil` if
    /// the tree has only one leaf or integer keys, if the places of its pages in memory are unknown, and in a write
    /// transaction, whose pages are not all in the map.
    public final func leafPrefetch(ofKeyspaceNamed name: String) -> LeafPrefetch? {
        isReadOnly ? MappedTree(self, named: name).map(LeafPrefetch.init) : nil
    }
}
