package import TidelogLMDB

/// A keyspace of a data file that can be read as far as its pages are valid.
package struct SalvagedTree: Sendable {
    let root: UInt64
    let depth: UInt16
    /// The number of entries according to the keyspace's own record.
    package let entryCount: UInt64

    init(_ record: TreeRecord) {
        root = record.root
        depth = record.depth
        entryCount = record.entries
    }
}

/// The trees of a data file according to its newest valid meta page, as far as they can be read.
package struct SalvagedTrees: Sendable {
    private let pages: DataFilePages
    /// The keyspaces that could be found, by name.
    package private(set) var keyspaces: [String: SalvagedTree] = [:]
    /// Whether these trees are certainly the trees of the last commit, because both meta pages are valid.
    package let isNewest: Bool

    /// Finds the keyspaces of `pages`.
    package init(_ pages: DataFilePages) throws(LMDBError) {
        self.pages = pages
        let metas = try pages.metaPages()
        isNewest = metas.count == 2
        guard let meta = metas.first else { return }
        var found: [String: SalvagedTree] = [:]
        _ = try walk(SalvagedTree(meta.mainTree)) { leaf in
            for node in leaf.page.nodes {
                guard node.flags == DataFileLayout.NodeFlags.tree,
                    node.dataByteCount == DataFileLayout.treeRecordByteCount,
                    let name = String(validating: leaf.page.key(of: node), as: UTF8.self)
                else { continue }
                found[name] = SalvagedTree(TreeRecord(leaf.page.bytes, at: node.dataOffset))
            }
        }
        keyspaces = found
    }

    /// The small entries of a keyspace that could be read, in no particular order, and whether they are all entries.
    package func entries(
        of tree: SalvagedTree
    ) throws(LMDBError) -> (entries: [(key: [UInt8], value: [UInt8])], isWhole: Bool) {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        let isWhole = try walk(tree) { leaf in
            for node in leaf.page.nodes where node.flags == DataFileLayout.NodeFlags.plain {
                let value = leaf.page.bytes[node.dataOffset..<node.dataOffset + node.dataByteCount]
                entries.append((leaf.page.key(of: node), Array(value)))
            }
        }
        return (entries, isWhole && UInt64(entries.count) == tree.entryCount)
    }

    /// Passes the small entries of every leaf page to `body`, from any keyspace, and also from free pages.
    package func forEachEntry(_ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws {
        for number in 2..<UInt64(max(2, pages.pageCount)) {
            guard let bytes = try pages.page(number), let page = SalvagedPage(bytes, number: number), page.isLeaf else {
                continue
            }
            for node in page.nodes where node.flags == DataFileLayout.NodeFlags.plain {
                let value = bytes[node.dataOffset..<node.dataOffset + node.dataByteCount]
                try body(page.key(of: node), Array(value))
            }
        }
    }

    /// The places of the values in a keyspace with integer keys.
    package struct Places: Sendable {
        /// One entry's place in the file.
        package struct Entry: Sendable {
            /// The entry's key.
            package let key: UInt64
            /// The start of its value, in bytes from the file's start.
            package let offset: Int
            /// The range of keys for the entry's page.
            package let keys: ClosedRange<UInt64>
        }

        /// The entries that could be read. They are in the order of their keys as far as the keys are valid.
        package internal(set) var entries: [Entry] = []
        /// The ranges of keys for pages that could not be found or read.
        package internal(set) var lostKeys: [ClosedRange<UInt64>] = []
        /// The leaf pages that could be read.
        package internal(set) var pages: Set<Int> = []
    }

    /// Finds the places of the values in a keyspace with integer keys.
    package func places(of tree: SalvagedTree) throws(LMDBError) -> Places {
        var places = Places()
        _ = try walk(tree) { leaf in
            places.pages.insert(Int(leaf.number))
            var last: UInt64?
            var isRight = leaf.page.isWhole
            for node in leaf.page.nodes {
                guard let key = Self.integer(leaf.page.bytes[node.key]), let offset = place(of: node, in: leaf) else {
                    isRight = false
                    continue
                }
                if !leaf.keys.contains(key) || last.map({ $0 >= key }) ?? false { isRight = false }
                last = key
                places.entries.append(.init(key: key, offset: offset, keys: leaf.keys))
            }
            if !isRight { places.lostKeys.append(leaf.keys) }
        } lost: { keys in
            places.lostKeys.append(keys)
        }
        return places
    }

    private func place(of node: SalvagedPage.Node, in leaf: Leaf) -> Int? {
        if node.flags == DataFileLayout.NodeFlags.plain {
            return Int(leaf.number) * pages.pageSize + node.dataOffset
        }
        guard node.flags == DataFileLayout.NodeFlags.overflow else { return nil }
        let first: UInt64 = leaf.page.bytes.load(at: node.dataOffset)
        guard first < UInt64(pages.pageCount) else { return nil }
        return Int(first) * pages.pageSize + DataFileLayout.pageHeaderByteCount
    }

    private static func integer(_ key: ArraySlice<UInt8>) -> UInt64? {
        key.count == MemoryLayout<UInt64>.size ? Array(key).load(at: 0) : nil
    }
}

extension SalvagedTrees {
    /// A leaf page that could be read.
    struct Leaf {
        let page: SalvagedPage
        let number: UInt64
        /// The range of integer keys for the page, according to the branches above it.
        let keys: ClosedRange<UInt64>
    }

    /// A page that is visited during a walk.
    private struct Step {
        let number: UInt64
        let depth: UInt16
        let keys: ClosedRange<UInt64>
    }

    /// Visits the leaf pages of a tree, beginning with the lowest keys. Returns whether the whole tree could be read.
    fileprivate func walk(
        _ tree: SalvagedTree, _ visit: (Leaf) -> Void, lost: (ClosedRange<UInt64>) -> Void = { _ in }
    ) throws(LMDBError) -> Bool {
        guard tree.root != DataFileLayout.noPage else { return true }
        var isWhole = true
        var seen: Set<UInt64> = []
        var steps = [Step(number: tree.root, depth: tree.depth, keys: 0 ... .max)]
        while let step = steps.popLast() {
            guard step.number > 1, step.depth > 0, step.depth <= DataFileLayout.deepestTree,
                seen.insert(step.number).inserted, let bytes = try pages.page(step.number),
                let page = SalvagedPage(bytes, number: step.number), page.isLeaf == (step.depth == 1),
                !page.nodes.isEmpty
            else {
                isWhole = false
                lost(step.keys)
                continue
            }
            if !page.isWhole { isWhole = false }
            if page.isLeaf {
                visit(Leaf(page: page, number: step.number, keys: step.keys))
            } else {
                if !page.isWhole { lost(step.keys) }
                steps += Self.children(of: page, step).reversed()
            }
        }
        return isWhole
    }

    /// The child pages of a branch. If the branch's keys are not in order, each child may have any of the branch's keys.
    private static func children(of page: SalvagedPage, _ step: Step) -> [Step] {
        let bounds = page.nodes.dropFirst().map { integer(page.bytes[$0.key]) ?? 0 }
        let isOrdered =
            page.isWhole && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
            && bounds.allSatisfy { $0 > step.keys.lowerBound && $0 <= step.keys.upperBound }
        return page.nodes.enumerated().map { index, node in
            var keys = step.keys
            if isOrdered {
                let lower = index == 0 ? step.keys.lowerBound : bounds[index - 1]
                let upper = index < bounds.count ? bounds[index] - 1 : step.keys.upperBound
                keys = lower...upper
            }
            return Step(number: node.child, depth: step.depth - 1, keys: keys)
        }
    }
}
