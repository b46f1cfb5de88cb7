import CSystem
import Foundation
import SeededNumbers
import Testing

@testable import TidelogLMDB

@Suite("Searches for several keys")
final class LeafSearchTests: KeyspaceSuite {
    /// Puts and deletes random entries in several commits, so that the pages of the tree are in no order in the file. Some
    /// values are so long that they have pages of their own.
    private func fill(_ generator: inout SeededGenerator) throws {
        let longest = [8, 30, 200].randomElement(using: &generator) ?? 8
        for _ in 0..<8 {
            try environment.write { transaction in
                for _ in 0..<600 {
                    let key = generator.bytes(1...longest)
                    let value = generator.bytes(0...(Int.random(in: 0..<50, using: &generator) == 0 ? 9_000 : 300))
                    if Bool.random(using: &generator) { try transaction.delete(rows, Array(key.prefix(2))) }
                    try transaction.put(rows, key, value)
                }
            }
        }
    }

    @Test(
        "A search finds exactly the bytes that LMDB finds, in any order of the keys", .enabled(if: arePagesAligned),
        arguments: 1...9)
    func found(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        try fill(&generator)
        let transaction = try environment.beginRead()
        var search = try #require(transaction.leafSearch(ofKeyspaceNamed: "rows"))
        var entries = try transaction.entries(rows).map { $0[0] }.shuffled(using: &generator)
        entries += (0..<entries.count).map { _ in generator.bytes(0...9) }
        var counts = (found: 0, left: 0)
        while !entries.isEmpty {
            let keys = Array(entries.prefix(Int.random(in: 1...40, using: &generator)))
            entries.removeFirst(keys.count)
            try withPointers(to: keys) { pointers in
                search.find(pointers)
                for (index, key) in pointers.enumerated() {
                    // LMDB accepts no empty key.
                    let expected = key.isEmpty ? nil : try transaction.get(rows, key)
                    guard let value = search.value(of: key, at: index) else {
                        #expect(expected.map { $0.count > filePageSize / 4 } ?? true, "a short value is in the leaf")
                        counts.left += 1
                        continue
                    }
                    #expect(value.baseAddress == expected?.baseAddress && value.count == expected?.count)
                    counts.found += 1
                }
            }
        }
        #expect(counts.found > 1_000 && counts.left > 1_000)
    }

    @Test(
        "In a damaged file, a search reads nothing outside of the pages, and gives bytes of one page", arguments: 1...20
    )
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        try fill(&generator)
        let keys = try environment.beginRead().entries(rows).map { $0[0] }
        let file = try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile))
        let inspected = try #require(MappedTree(try environment.beginRead(), named: "rows"))
        let count = file.count / filePageSize
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: filePageSize)
        defer { memory.deallocate() }
        for _ in 0..<40 {
            memory.copyBytes(from: file)
            for _ in 0..<Int.random(in: 1...2_000, using: &generator) {
                // Most damage is done to the headers and to the lists of nodes, which refer to other places.
                let page = Int.random(in: 0..<count, using: &generator) * filePageSize
                let offset = Int.random(in: 0..<(Bool.random(using: &generator) ? 64 : filePageSize), using: &generator)
                memory[page + offset] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let pages = tidelog_pages(base: memory.baseAddress, page_size: filePageSize, page_count: UInt64(count))
            let tree = MappedTree(root: inspected.root, depth: inspected.depth, pages: pages)
            for number in 0..<UInt64(count) {
                let bytes = tree.bytes(of: tree.child(at: generator.below(filePageSize), of: number))
                guard let start = bytes.baseAddress else { continue }
                let offset = start - UnsafeRawPointer(memory.baseAddress!)
                #expect(offset >= 0 && offset + bytes.count <= file.count)
            }
            var search = LeafSearch(tree)
            let wanted = keys.shuffled(using: &generator).prefix(100) + [generator.bytes(0...9)]
            withPointers(to: Array(wanted)) { pointers in
                search.find(pointers)
                for (index, key) in pointers.enumerated() {
                    guard let value = search.value(of: key, at: index), let start = value.baseAddress else { continue }
                    let offset = start - UnsafeRawPointer(memory.baseAddress!)
                    #expect((0...file.count).contains(offset))
                    #expect(offset % filePageSize + value.count <= filePageSize)
                }
            }
        }
    }

    @Test("There is no search in a small tree, in integer keys, in a missing keyspace and in a write transaction")
    func none() throws {
        let (small, numbers) = (
            try environment.keyspace("small"), try environment.keyspace("numbers", integerKeys: true)
        )
        try environment.write { transaction in
            try transaction.put(small, bytes("a"), bytes("b"))
            for number in 0..<UInt64(2_000) {
                try withIntegerKey(number) { try transaction.put(numbers, $0, $0) }
                try transaction.put(rows, bytes("\(number)"), bytes("row"))
            }
            #expect(transaction.leafSearch(ofKeyspaceNamed: "rows") == nil)
        }
        let transaction = try environment.beginRead()
        #expect((transaction.leafSearch(ofKeyspaceNamed: "rows") != nil) == arePagesAligned)
        for name in ["small", "numbers", "missing", ""] {
            #expect(transaction.leafSearch(ofKeyspaceNamed: name) == nil, "\(name)")
        }
        transaction.end()
        #expect(transaction.leafSearch(ofKeyspaceNamed: "rows") == nil)
    }

    private func withPointers(to keys: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) throws -> Void) rethrows {
        try (Array(keys.joined()) + [0]).withUnsafeBytes { all in
            var start = 0
            try body(
                keys.map { key in
                    defer { start += key.count }
                    return UnsafeRawBufferPointer(rebasing: all[start..<(start + key.count)])
                })
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
        bytes(Int.random(in: counts, using: &self))
    }
}
