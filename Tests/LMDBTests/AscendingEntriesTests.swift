import CSystem
import Foundation
import SeededNumbers
import Testing

@testable import TidelogLMDB

@Suite("Entries in ascending order")
final class AscendingEntriesTests: KeyspaceSuite {
    /// Puts random entries in several commits. Some values are so long that they have pages of their own.
    private func fill(_ generator: inout SeededGenerator) throws {
        for _ in 0..<4 {
            try environment.write { try put(500, in: $0, &generator) }
        }
    }

    private func put(
        _ count: Int, in transaction: WriteTransaction, _ generator: inout SeededGenerator
    ) throws {
        for _ in 0..<count {
            let isLong = Int.random(in: 0..<20, using: &generator) == 0
            let key = generator.bytes(Int.random(in: 1...40, using: &generator))
            try transaction.put(rows, key, generator.bytes(isLong ? 9_000 : Int.random(in: 0...200, using: &generator)))
        }
    }

    /// Checks that a cursor has exactly the same entries from `key` on, at the same addresses. Returns their number.
    private func check(from key: [UInt8], in transaction: Transaction) throws -> Int {
        var entries = try transaction.cursor(rows).ascending()
        let cursor = try transaction.cursor(rows)
        var entry = try key.withUnsafeBytes { try entries.first(atLeast: $0) }
        var expected = try key.withUnsafeBytes { $0.isEmpty ? try cursor.first() : try cursor.seek(atLeast: $0) }
        var count = 0
        while let current = expected {
            try #require(entry?.key.baseAddress == current.key.baseAddress && entry?.key.count == current.key.count)
            try #require(entry?.value.baseAddress == current.value.baseAddress)
            try #require(entry?.value.count == current.value.count)
            count += 1
            (entry, expected) = (try entries.next(), try cursor.next())
        }
        #expect(entry == nil)
        return count
    }

    @Test("LMDB's cursor has the same entries, from any key on", arguments: 1...6)
    func entries(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        try fill(&generator)
        let transaction = try environment.beginRead()
        #expect(try check(from: [], in: transaction) == transaction.entryCount(rows))
        for _ in 0..<20 {
            _ = try check(from: generator.bytes(Int.random(in: 1...3, using: &generator)), in: transaction)
        }
        #expect(try check(from: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], in: transaction) == 0)
    }

    @Test("A keyspace without entries has no first and no next one")
    func empty() throws {
        var entries = try environment.beginRead().cursor(rows).ascending()
        #expect(try entries.first(atLeast: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
        #expect(try entries.next() == nil)
    }

    @Test("A write transaction has its own changes among the entries")
    func writing() throws {
        var generator = SeededGenerator(1)
        try fill(&generator)
        try environment.write { transaction in
            try put(300, in: transaction, &generator)
            #expect(try check(from: [], in: transaction) == transaction.entryCount(rows))
        }
    }

    @Test(
        "If the last entry of a leaf is damaged while it is read, the next entry is an error",
        .enabled(if: arePagesAligned))
    func damagedWhileReading() throws {
        var generator = SeededGenerator(1)
        try environment.write { transaction in
            for _ in 0..<500 { try transaction.put(rows, generator.bytes(20), generator.bytes(20)) }
        }
        let transaction = try environment.beginRead()
        var entries = try transaction.cursor(rows).ascending()
        let first = try #require(try entries.first(atLeast: UnsafeRawBufferPointer(start: nil, count: 0)))
        let address = UInt(bitPattern: first.key.baseAddress) & ~UInt(filePageSize - 1)
        let page = try #require(UnsafeRawPointer(bitPattern: address))
        let count = tidelog_count_entries(page, filePageSize)
        for _ in 1..<count { #expect(try entries.next() != nil) }
        // The offsets of the entries follow the header of the page, which has 16 bytes. No entry has an odd offset.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.dataFile))
        defer { try? file.close() }
        try file.seek(toOffset: page.load(as: UInt64.self) * UInt64(filePageSize) + 16 + 2 * UInt64(count - 1))
        try file.write(contentsOf: [1, 0])
        let error = #expect(throws: LMDBError.self) { try entries.next() }
        #expect(error?.code == .corrupted)
    }

    @Test("After its transaction was reset, the next entry is an error")
    func reset() throws {
        var generator = SeededGenerator(1)
        try fill(&generator)
        let transaction = try environment.beginRead()
        var entries = try transaction.cursor(rows).ascending()
        _ = try entries.first(atLeast: UnsafeRawBufferPointer(start: nil, count: 0))
        transaction.reset()
        #expect(throws: LMDBError.self) { try entries.next() }
    }

    @Test("In damaged pages, an entry is read only if it is inside of its page", arguments: 1...20)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: filePageSize, alignment: filePageSize)
        defer { memory.deallocate() }
        var readCount = 0
        for _ in 0..<2_000 {
            // A leaf with a list of random offsets.
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            let nodeCount = Int.random(in: 0...40, using: &generator)
            memory.storeBytes(of: UInt16(2), toByteOffset: 10, as: UInt16.self)
            memory.storeBytes(of: UInt16(16 + 2 * nodeCount), toByteOffset: 12, as: UInt16.self)
            for _ in 0..<Int.random(in: 0...400, using: &generator) {
                let offset = Int.random(in: 16..<filePageSize, using: &generator)
                memory[offset] = UInt8.random(in: .min ... .max, using: &generator) & (offset % 2 == 0 ? 0xFE : 0x1F)
            }
            let page = UnsafeRawPointer(try #require(memory.baseAddress))
            let count = tidelog_count_entries(page, filePageSize)
            #expect(count == nodeCount)
            for index in 0..<count {
                let entry = tidelog_read_entry(page, filePageSize, index)
                guard entry.value != nil else { continue }
                readCount += 1
                for (start, byteCount) in [(entry.key, entry.key_count), (entry.value, entry.value_count)] {
                    let offset = try #require(start) - page
                    #expect(offset >= 0 && offset + Int(byteCount) <= filePageSize)
                }
            }
        }
        #expect(readCount > 1_000)
    }
}
