import SeededNumbers
import Testing

@testable import TidelogLMDB

@Suite("Prefetches of leaves")
struct LeafPrefetchTests {
    /// Whether a page of a data file begins at a multiple of its size. Otherwise there is no prefetch.
    private static let isPossible = 4096.isMultiple(of: filePageSize)

    @Test("The leaf of a key is the page where LMDB finds the key", .enabled(if: isPossible), arguments: 1...6)
    func leavesOfKeys(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let scratch = try Scratch()
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        let longest = [8, 30, 200].randomElement(using: &generator) ?? 8
        // Several commits, so that the pages of the tree are in no order in the file.
        for _ in 0..<8 {
            try environment.write { transaction in
                for _ in 0..<600 {
                    let key = (0..<Int.random(in: 1...longest, using: &generator)).map { _ in generator.byte() }
                    let value = (0..<Int.random(in: 0...300, using: &generator)).map { _ in generator.byte() }
                    if Bool.random(using: &generator) { try transaction.delete(rows, Array(key.prefix(2))) }
                    try transaction.put(rows, key, value)
                }
            }
        }
        let transaction = try environment.beginRead()
        let tree = try #require(MappedTree(transaction, named: "rows"))
        #expect(try tree.depth == transaction.statistics(rows).depth)
        var count = 0
        let cursor = try transaction.cursor(rows)
        while let entry = try cursor.next() {
            var page = tree.root
            for _ in 1..<tree.depth { page = tree.child(of: page, for: entry.key) }
            let place = UInt(bitPattern: entry.key.baseAddress) & ~UInt(filePageSize - 1)
            #expect(UnsafeRawPointer(bitPattern: place)?.load(as: UInt64.self) == page)
            count += 1
        }
        #expect(try count == transaction.entryCount(rows) && count > 1_000)
    }

    @Test("Every list of keys may be asked for, also keys that are missing, and nothing changes", arguments: [1, 2, 3])
    func anyKeys(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let scratch = try Scratch()
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        try environment.write { transaction in
            // Some values are so long that they have pages of their own.
            for number in 0..<3_000 {
                let length = number.isMultiple(of: 100) ? 9_000 : Int.random(in: 0...90, using: &generator)
                try transaction.put(rows, bytes("\(number)"), Array(repeating: 1, count: length))
            }
        }
        let transaction = try environment.beginRead()
        let before = try transaction.entries(rows)
        var leaves = transaction.leafPrefetch(ofKeyspaceNamed: "rows")
        #expect((leaves != nil) == Self.isPossible)
        for length in 0..<40 {
            let keys = (0..<length).map { _ in
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in generator.byte() }
            }
            leaves?.prefetch(keys)
        }
        #expect(try transaction.entries(rows) == before)
    }

    @Test("There is no prefetch of a small tree, of integer keys, of a missing keyspace and in a write transaction")
    func none() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        let (small, numbers) = (
            try environment.keyspace("small"), try environment.keyspace("numbers", integerKeys: true)
        )
        let rows = try environment.keyspace()
        try environment.write { transaction in
            try transaction.put(small, bytes("a"), bytes("b"))
            for number in 0..<UInt64(2_000) {
                try withIntegerKey(number) { try transaction.put(numbers, $0, $0) }
                try transaction.put(rows, bytes("\(number)"), bytes("row"))
            }
            #expect(transaction.leafPrefetch(ofKeyspaceNamed: "rows") == nil)
        }
        let transaction = try environment.beginRead()
        for name in ["small", "numbers", "missing", ""] {
            #expect(transaction.leafPrefetch(ofKeyspaceNamed: name) == nil, "\(name)")
        }
        transaction.end()
        #expect(transaction.leafPrefetch(ofKeyspaceNamed: "rows") == nil)
    }
}

extension LeafPrefetch {
    /// Asks for the leaves of keys that are not in the map.
    fileprivate mutating func prefetch(_ keys: [[UInt8]]) {
        let all = Array(keys.joined()) + [0]
        all.withUnsafeBytes { all in
            var start = 0
            prefetch(
                keys.map { key in
                    defer { start += key.count }
                    return UnsafeRawBufferPointer(rebasing: all[start..<(start + key.count)])
                })
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func byte() -> UInt8 { UInt8.random(in: .min ... .max, using: &self) }
}
