import SeededNumbers
import Testing
import TidelogLMDB

@Suite("Cursors")
struct CursorTests {
    let scratch: Scratch
    let environment: Environment
    let rows: Keyspace
    /// The keys are even numbers, so that the odd numbers lie between them.
    let keys = (0..<500).map { bytes("\(1000 + 2 * $0)") }

    init() throws {
        scratch = try Scratch()
        environment = try scratch.open()
        rows = try environment.keyspace()
        let (rows, keys) = (rows, keys)
        try environment.write { transaction in
            for key in keys { try transaction.append(rows, key, Array(repeating: key[3], count: 40)) }
        }
    }

    private func key(_ entry: Cursor.Entry?) -> [UInt8]? { entry.map { Array($0.key) } }

    @Test("A cursor visits every entry, forwards and backwards")
    func bothDirections() throws {
        let cursor = try environment.beginRead().cursor(rows)
        #expect(try cursor.current() == nil)
        var found: [[UInt8]] = []
        while let entry = try cursor.next() {
            found.append(Array(entry.key))
            #expect(Array(entry.value) == Array(repeating: entry.key[3], count: 40))
        }
        #expect(found == keys)
        found = []
        var entry = try cursor.last()
        while let current = entry {
            found.append(Array(current.key))
            #expect(key(try cursor.current()) == Array(current.key))
            entry = try cursor.previous()
        }
        #expect(found == keys.reversed())
        #expect(key(try cursor.first()) == keys.first)
        let fresh = try environment.beginRead().cursor(rows)
        #expect(key(try fresh.previous()) == keys.last)
    }

    @Test("The three seeks find the same key, the next key or the key before, wherever the cursor was")
    func seeks() throws {
        let cursor = try environment.beginRead().cursor(rows)
        var generator = SeededGenerator(7)
        for _ in 0..<3000 {
            let number = Int.random(in: 990...2010, using: &generator)
            let probe = bytes("\(number)")
            let isThere = number >= 1000 && number < 2000 && number % 2 == 0
            let after = keys.first { !$0.lexicographicallyPrecedes(probe) }
            let before = keys.last { $0.lexicographicallyPrecedes(probe) }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: #expect(key(try probe.withUnsafeBytes { try cursor.seek(to: $0) }) == (isThere ? probe : nil))
            case 1: #expect(key(try probe.withUnsafeBytes { try cursor.seek(atLeast: $0) }) == after)
            default: #expect(key(try probe.withUnsafeBytes { try cursor.seek(before: $0) }) == before)
            }
        }
    }

    @Test("Every call of a cursor on an empty keyspace returns nil")
    func emptyKeyspace() throws {
        let empty = try environment.keyspace("empty")
        let cursor = try environment.beginRead().cursor(empty)
        let probe = bytes("a")
        #expect(try cursor.first() == nil && cursor.last() == nil && cursor.next() == nil && cursor.previous() == nil)
        #expect(try probe.withUnsafeBytes { try cursor.seek(to: $0) } == nil)
        #expect(try probe.withUnsafeBytes { try cursor.seek(atLeast: $0) } == nil)
        #expect(try probe.withUnsafeBytes { try cursor.seek(before: $0) } == nil)
        #expect(try cursor.current() == nil)
    }

    @Test("After a deletion at the cursor, next gives the entry after it and previous the entry before it")
    func deleteCurrent() throws {
        let transaction = try environment.beginWrite()
        let cursor = try transaction.cursor(rows)
        var kept: [[UInt8]] = []
        while let entry = try cursor.next() {
            if entry.key[3] == UInt8(ascii: "4") { kept.append(Array(entry.key)) } else { try cursor.deleteCurrent() }
        }
        #expect(kept == keys.filter { $0[3] == UInt8(ascii: "4") })
        #expect(try transaction.entries(rows).map { $0[0] } == kept)
        _ = try kept[5].withUnsafeBytes { try cursor.seek(to: $0) }
        try cursor.deleteCurrent()
        #expect(key(try cursor.previous()) == kept[4])
        var entry = try cursor.last()
        while entry != nil {
            try cursor.deleteCurrent()
            entry = try cursor.previous()
        }
        #expect(try transaction.entryCount(rows) == 0)
        #expect(code { try cursor.deleteCurrent() } == .notFound)
        try transaction.commit()
    }

    @Test("A cursor puts, reserves and appends as its transaction does")
    func changes() throws {
        let other = try environment.keyspace("other")
        let transaction = try environment.beginWrite()
        let cursor = try transaction.cursor(other)
        try bytes("a").withUnsafeBytes { try cursor.put($0, $0) }
        try bytes("c").withUnsafeBytes { key in
            try cursor.reserve(key, byteCount: 2, append: true).copyBytes(from: bytes("33"))
        }
        #expect(
            code { _ = try bytes("b").withUnsafeBytes { try cursor.reserve($0, byteCount: 1, append: true) } }
                == .keyExists)
        #expect(try transaction.entries(other) == [[bytes("a"), bytes("a")], [bytes("c"), bytes("33")]])
    }

    @Test("A reader's cursor cannot change anything")
    func readOnly() throws {
        let cursor = try environment.beginRead().cursor(rows)
        _ = try cursor.first()
        #expect(code { try cursor.deleteCurrent() } == .permissionDenied)
        #expect(code { try bytes("a").withUnsafeBytes { try cursor.put($0, $0) } } == .permissionDenied)
        let writing = try environment.beginWrite().cursor(rows)
        #expect(code { try writing.renew() } == .badTransaction)
    }

    @Test("A cursor refuses calls after its transaction ended or was reset, and works again when both are renewed")
    func afterTheEnd() throws {
        let reader = try environment.beginRead()
        let cursor = try reader.cursor(rows)
        _ = try cursor.first()
        reader.reset()
        #expect(code { _ = try cursor.next() } == .badTransaction)
        try reader.renew()
        #expect(code { _ = try cursor.next() } == .badTransaction)
        try cursor.renew()
        #expect(try cursor.current() == nil)
        #expect(key(try cursor.next()) == keys.first)
        reader.end()
        #expect(code { _ = try cursor.next() } == .badTransaction)
        #expect(code { try cursor.renew() } == .badTransaction)

        let writer = try environment.beginWrite()
        let writing = try writer.cursor(rows)
        _ = try writing.first()
        try writer.commit()
        #expect(code { _ = try writing.next() } == .badTransaction)
        #expect(code { try writing.deleteCurrent() } == .badTransaction)
    }
}
