import Testing
import TidelogLMDB

@Suite("Transactions")
final class TransactionTests: KeyspaceSuite {
    @Test("A key that was put has its value, and any other key has nil")
    func roundTrip() throws {
        try environment.write {
            try $0.put(rows, bytes("a"), bytes("1"))
            try $0.put(rows, bytes("b"), [])
            #expect(try $0.value(rows, bytes("a")) == bytes("1"))
        }
        let reader = try environment.beginRead()
        #expect(try reader.value(rows, bytes("a")) == bytes("1"))
        #expect(try reader.value(rows, bytes("b")) == [])
        #expect(try reader.value(rows, bytes("c")) == nil)
        #expect(try reader.entryCount(rows) == 2)
    }

    @Test("Values from zero bytes to more than a page keep every byte", arguments: [0, 1, 511, 2000, 4096, 100_000])
    func valueSizes(count: Int) throws {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try environment.write { try $0.put(rows, bytes("key"), value) }
        #expect(try environment.beginRead().value(rows, bytes("key")) == value)
    }

    @Test("A put replaces a value, and a delete returns whether there was an entry")
    func replaceAndDelete() throws {
        try environment.write { transaction in
            try transaction.put(rows, bytes("a"), bytes("1"))
            try transaction.put(rows, bytes("a"), bytes("2"))
            try transaction.put(rows, bytes("b"), bytes("b"))
            #expect(try transaction.value(rows, bytes("a")) == bytes("2"))
            #expect(try transaction.delete(rows, bytes("a")))
            #expect(try !transaction.delete(rows, bytes("a")))
        }
        #expect(try environment.beginRead().entries(rows) == [[bytes("b"), bytes("b")]])
    }

    @Test("Appending in key order works, and appending out of order throws keyExists and changes nothing")
    func appendOrder() throws {
        let transaction = try environment.beginWrite()
        try transaction.append(rows, bytes("a"), bytes("1"))
        try transaction.append(rows, bytes("c"), bytes("3"))
        #expect(code { try transaction.append(rows, bytes("b"), bytes("2")) } == .keyExists)
        #expect(code { try transaction.append(rows, bytes("c"), bytes("4")) } == .keyExists)
        #expect(try transaction.entries(rows).map { $0[1] } == [bytes("1"), bytes("3")])
        transaction.abort()
    }

    @Test("Reserved memory has the requested size, and its content becomes the value", arguments: [false, true])
    func reserve(append: Bool) throws {
        try environment.write { transaction in
            for size in [1, 100, 5000] {
                let key = bytes("key\(10_000 + size)")
                let room = try key.withUnsafeBytes {
                    try transaction.reserve(rows, $0, byteCount: size, append: append)
                }
                #expect(room.count == size)
                for index in 0..<size { room[index] = UInt8(truncatingIfNeeded: index) }
            }
        }
        let reader = try environment.beginRead()
        for size in [1, 100, 5000] {
            let expected = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try reader.value(rows, bytes("key\(10_000 + size)")) == expected)
        }
    }

    @Test("A snapshot sees no later commit until it is renewed")
    func isolation() throws {
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        let reader = try environment.beginRead()
        let before = try reader.id
        try environment.write { try $0.put(rows, bytes("a"), bytes("2")) }
        #expect(try reader.value(rows, bytes("a")) == bytes("1"))
        #expect(try environment.information.oldestReaderTransactionID == before)
        try reader.renew()
        #expect(try reader.value(rows, bytes("a")) == bytes("2"))
        #expect(try reader.id == before + 1)
    }

    @Test("A reset transaction holds no snapshot, refuses reads, and works again once renewed")
    func resetAndRenew() throws {
        let reader = try environment.beginRead()
        reader.reset()
        #expect(try environment.information.oldestReaderTransactionID == nil)
        #expect(code { _ = try reader.value(rows, bytes("a")) } == .badTransaction)
        reader.reset()
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        try reader.renew()
        #expect(try reader.value(rows, bytes("a")) == bytes("1"))
        reader.end()
        reader.end()
        #expect(code { _ = try reader.id } == .badTransaction)
        #expect(code { try reader.renew() } == .badTransaction)
    }

    @Test("A transaction that is aborted, or released without a commit, leaves no changes")
    func abort() throws {
        let aborted = try environment.beginWrite()
        try aborted.put(rows, bytes("a"), bytes("1"))
        aborted.abort()
        aborted.abort()
        #expect(code { try aborted.put(rows, bytes("a"), bytes("1")) } == .badTransaction)
        #expect(code { try aborted.commit() } == .badTransaction)
        do {
            let released = try environment.beginWrite()
            try released.put(rows, bytes("b"), bytes("1"))
        }
        #expect(try environment.write { try $0.entryCount(rows) } == 0)
    }

    @Test("A thread's second write transaction is refused, because it would wait for the first without end")
    func secondWriter() throws {
        let first = try environment.beginWrite()
        #expect(code { _ = try environment.beginWrite() } == .busy)
        try first.commit()
        try environment.beginWrite().commit()
    }

    @Test("Writers on several threads take turns, and none of their changes is lost")
    func writersTakeTurns() async throws {
        let (environment, rows) = (environment, rows)
        let key = bytes("count")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        try environment.write { transaction in
                            let old = try transaction.value(rows, key)?.first ?? 0
                            try transaction.put(rows, key, [old + 1])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try environment.beginRead().value(rows, key) == [200])
    }

    @Test("A read transaction may be used on any thread")
    func readersMove() async throws {
        let rows = rows
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        let readers = try (0..<20).map { _ in try environment.beginRead() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in readers {
                group.addTask {
                    for _ in 0..<10 {
                        #expect(try reader.value(rows, bytes("a")) == bytes("1"))
                        try reader.renew()
                    }
                    reader.end()
                }
            }
            try await group.waitForAll()
        }
        #expect(try environment.information.oldestReaderTransactionID == nil)
    }

    @Test("Keys that are empty, or longer than 511 bytes, are refused")
    func keySizes() throws {
        let limit = 511
        let transaction = try environment.beginWrite()
        #expect(code { try transaction.put(rows, [], bytes("1")) } == .badValueSize)
        #expect(code { _ = try transaction.value(rows, []) } == .badValueSize)
        #expect(code { try transaction.put(rows, Array(repeating: 7, count: limit + 1), []) } == .badValueSize)
        try transaction.put(rows, Array(repeating: 7, count: limit), bytes("1"))
        #expect(try transaction.value(rows, Array(repeating: 7, count: limit)) == bytes("1"))
    }

    @Test("Integer keys sort as numbers, and keys of other lengths are refused")
    func integerKeys() throws {
        let numbers = try environment.keyspace("numbers", integerKeys: true)
        let keys: [UInt64] = [1, 255, 256, 65_536, 1 << 40, .max, 0]
        let transaction = try environment.beginWrite()
        for key in keys {
            try withIntegerKey(key) { try transaction.put(numbers, $0, $0) }
        }
        let cursor = try transaction.cursor(numbers)
        var found: [UInt64] = []
        while let entry = try cursor.next() { found.append(UInt64(integerKey: entry.key)) }
        #expect(found == keys.sorted())
        #expect(code { try transaction.put(numbers, bytes("1234"), []) } == .badValueSize)
        #expect(code { _ = try transaction.value(numbers, bytes("123456789")) } == .badValueSize)
        #expect(code { try transaction.delete(numbers, []) } == .badValueSize)
    }

    @Test("A full map is a typed error; smaller writes still work, and the same write works with a larger map")
    func mapFull() throws {
        let scratch = try Scratch()
        let environment = try scratch.open(.init(mapSize: 256 << 10, syncPolicy: .noSync))
        let rows = try environment.keyspace()
        func fill() throws {
            try environment.write { transaction in
                for index in 0..<1000 {
                    try transaction.put(rows, bytes("key\(index)"), Array(repeating: 1, count: 1000))
                }
            }
        }
        #expect(code(fill) == .mapFull)
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        #expect(code(fill) == .mapFull)
        for _ in 0..<4 { try environment.growMap() }
        try fill()
        #expect(try environment.beginRead().entryCount(rows) == 1001)
    }

    @Test("Statistics count entries, levels and pages")
    func statistics() throws {
        #expect(try environment.beginRead().statistics(rows).depth == 0)
        try environment.write { transaction in
            for index in 0..<1000 { try transaction.put(rows, bytes("key\(index)"), bytes("value")) }
            try transaction.put(rows, bytes("large"), Array(repeating: 0, count: 20_000))
        }
        let statistics = try environment.beginRead().statistics(rows)
        #expect(statistics.entryCount == 1001)
        #expect(statistics.depth == 2 && statistics.branchPageCount == 1 && statistics.leafPageCount > 1)
        #expect(statistics.overflowPageCount == (20_000 + 16 + statistics.pageSize - 1) / statistics.pageSize)
    }

    @Test("Emptying a keyspace deletes its entries and keeps the keyspace")
    func empty() throws {
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        let reader = try environment.beginRead()
        try environment.write { transaction in
            try transaction.empty(rows)
            #expect(try transaction.entryCount(rows) == 0)
            try transaction.put(rows, bytes("b"), bytes("2"))
        }
        #expect(try reader.entries(rows).map { $0[0] } == [bytes("a")])
        try reader.renew()
        #expect(try reader.entries(rows).map { $0[0] } == [bytes("b")])
    }
}
