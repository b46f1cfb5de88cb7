internal import CSystem

/// Asks the processor for the leaves of a keyspace before a scan reads them.
///
/// Leaves that follow each other in the order of their keys are at different places in the file, and so are the entries in a
/// leaf. Without this, a scan waits for memory at most of its entries.
public struct LeafReadAhead {
    /// A leaf is asked for while the leaf that is this many places before it is read.
    static let distance = 2
    /// How many bytes are asked for at each entry. A processor may ignore requests that come faster than it can serve them.
    private static let stride = 384

    private let transaction: Transaction
    private let name: String
    private lazy var tree = MappedTree(transaction, named: name)
    /// The branch above the leaf that is read, and the place of this leaf in it.
    private var position = (branch: DataFileLayout.noPage, index: 0)
    /// The number of the leaf that is asked for, and the number of its bytes that have been asked for.
    private(set) var wanted = (leaf: DataFileLayout.noPage, byteCount: 0)
    /// The bytes of the leaf that is asked for; none if there is no such leaf.
    private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ transaction: Transaction, named name: String) {
        self.transaction = transaction
        self.name = name
    }

    /// Asks for more bytes of the leaf ahead, at each entry that the scan reads.
    @inline(__always)
    mutating func askForMore() {
        guard wanted.byteCount < bytes.count, let start = bytes.baseAddress else { return }
        tidelog_prefetch(start + wanted.byteCount, min(Self.stride, bytes.count - wanted.byteCount))
        wanted.byteCount += Self.stride
    }

    /// Notes that the scan has reached the leaf at `address`, which is not its first one, and whose first entry has `key`.
    mutating func enterLeaf(at address: UInt, with key: UnsafeRawBufferPointer) {
        guard let tree else { return }
        position.index += 1
        if !tree.isPage(tree.child(at: position.index, of: position.branch), at: address) {
            position.branch = tree.root
            for _ in 2..<tree.depth { position.branch = tree.child(of: position.branch, for: key) }
            position.index = tree.index(of: key, in: position.branch)
        }
        wanted = (tree.child(at: position.index + Self.distance, of: position.branch), 0)
        bytes = tree.bytes(of: wanted.leaf)
    }
}

extension Transaction {
    /// The leaves ahead of a scan in the keyspace with `name`. It is valid until this transaction ends or is reset. It is `nil`
    /// in a write transaction, whose pages are not all in the map.
    public final func leafReadAhead(ofKeyspaceNamed name: String) -> LeafReadAhead? {
        isReadOnly ? LeafReadAhead(self, named: name) : nil
    }
}
