import SeededNumbers
import Testing

@testable import TidelogLMDB

@Suite("Leaves ahead of a scan")
final class LeafReadAheadTests: KeyspaceSuite {
    /// Puts random entries in several commits, so that the leaves are in no order in the file.
    private func fill(_ count: Int, _ generator: inout SeededGenerator) throws {
        for _ in 0..<4 {
            try environment.write { transaction in
                for _ in 0..<(count / 4) { try transaction.put(rows, generator.bytes(16), generator.bytes(100)) }
            }
        }
    }

    /// The address of the page with `key`.
    private func page(_ key: UnsafeRawBufferPointer) -> Int { Int(bitPattern: key.baseAddress) / filePageSize }

    @Test(
        "In each leaf but the first, a scan asks for the leaf that it reads two leaves later",
        .enabled(if: arePagesAligned), arguments: [1, 2, 3])
    func nextLeaves(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        try fill(20_000, &generator)
        let transaction = try environment.beginRead()
        let tree = try #require(MappedTree(transaction, named: "rows"))
        var entries = try transaction.cursor(rows).ascending(transaction.leafReadAhead(ofKeyspaceNamed: "rows"))
        // A scan may begin anywhere.
        var entry = try generator.bytes(1).withUnsafeBytes { try entries.first(atLeast: $0) }
        var leaves: [Int] = []
        var wanted: [UInt64] = []
        while let current = entry {
            if page(current.key) != leaves.last {
                leaves.append(page(current.key))
                wanted.append(try #require(entries.readAhead).wanted.leaf)
            }
            entry = try entries.next()
        }
        #expect(leaves.count > 10)
        #expect(wanted[0] == DataFileLayout.noPage)
        var asked = 0
        for (index, number) in wanted.enumerated() where number != DataFileLayout.noPage {
            let expected = try #require(leaves.dropFirst(index + LeafReadAhead.distance).first)
            #expect(tree.isPage(number, at: UInt(expected * filePageSize)))
            asked += 1
        }
        // At the end of a branch, the next leaf belongs to another branch, and is not asked for.
        #expect(asked * 10 > leaves.count * 8)
    }

    @Test("All bytes of a leaf are asked for, some at each entry", .enabled(if: arePagesAligned))
    func bytes() throws {
        var generator = SeededGenerator(1)
        try fill(4_000, &generator)
        let transaction = try environment.beginRead()
        var entries = try transaction.cursor(rows).ascending(transaction.leafReadAhead(ofKeyspaceNamed: "rows"))
        var entry = try entries.first(atLeast: UnsafeRawBufferPointer(start: nil, count: 0))
        var (last, whole) = (try #require(entries.readAhead).wanted, 0)
        while entry != nil {
            let wanted = try #require(entries.readAhead).wanted
            if wanted.leaf == last.leaf {
                #expect(wanted.byteCount >= last.byteCount)
            } else if last.byteCount >= filePageSize {
                whole += 1
            }
            last = wanted
            entry = try entries.next()
        }
        #expect(whole > 50)
    }

    @Test("No leaf is asked for in a small tree, in integer keys, in a missing keyspace and in a write transaction")
    func none() throws {
        let (small, numbers) = (
            try environment.keyspace("small"), try environment.keyspace("numbers", integerKeys: true)
        )
        try environment.write { transaction in
            try transaction.put(small, Array("a".utf8), Array("b".utf8))
            for number in 0..<UInt64(2_000) { try withIntegerKey(number) { try transaction.put(numbers, $0, $0) } }
            #expect(transaction.leafReadAhead(ofKeyspaceNamed: "small") == nil)
        }
        let transaction = try environment.beginRead()
        for (name, keyspace) in [("small", small), ("numbers", numbers), ("missing", numbers)] {
            let readAhead = try #require(transaction.leafReadAhead(ofKeyspaceNamed: name))
            var entries = try transaction.cursor(keyspace).ascending(readAhead)
            while try entries.next() != nil {}
            #expect(entries.readAhead?.wanted.leaf == DataFileLayout.noPage, "\(name)")
        }
    }
}
