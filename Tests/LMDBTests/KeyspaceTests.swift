import Foundation
import Testing
import TidelogLMDB

@Suite("Keyspaces")
struct KeyspaceTests {
    @Test("A thousand keyspaces keep their entries apart, also after reopening")
    func thousand() throws {
        let scratch = try Scratch()
        let options = Environment.Options(mapSize: 64 << 20, maximumKeyspaces: 1000, syncPolicy: .noSync)
        for isNew in [true, false] {
            let environment = try scratch.open(options)
            try environment.write { transaction in
                for index in 0..<1000 {
                    let keyspace = try transaction.openKeyspace(named: "keyspace \(index)", create: isNew)
                    if isNew { try transaction.put(keyspace, bytes("key"), bytes("\(index)")) }
                    #expect(try transaction.value(keyspace, bytes("key")) == bytes("\(index)"))
                }
                #expect(
                    code { _ = try transaction.openKeyspace(named: "one more", create: true) } == .keyspacesFull)
            }
        }
    }

    @Test("A name that is empty, too long, or holds a NUL is refused; any other works")
    func names() throws {
        let environment = try Scratch().open()
        let transaction = try environment.beginWrite()
        for name in ["", "a\0b", String(repeating: "n", count: 512)] {
            #expect(code { _ = try transaction.openKeyspace(named: name, create: true) } == .badValueSize)
        }
        for name in ["a", "é/ü 🌊", String(repeating: "n", count: 511)] {
            let keyspace = try transaction.openKeyspace(named: name, create: true)
            try transaction.put(keyspace, bytes("name"), bytes(name))
        }
        try transaction.commit()
        let reader = try environment.beginRead()
        let keyspace = try #require(try reader.openKeyspace(named: "é/ü 🌊"))
        #expect(try reader.value(keyspace, bytes("name")) == bytes("é/ü 🌊"))
    }

    @Test("A missing keyspace is nil for a reader, and the error notFound for a writer that does not create it")
    func missing() throws {
        let environment = try Scratch().open()
        let reader = try environment.beginRead()
        #expect(try reader.openKeyspace(named: "rows") == nil)
        let writer = try environment.beginWrite()
        #expect(code { _ = try writer.openKeyspace(named: "rows", create: false) } == .notFound)
        #expect(
            try writer.openKeyspace(named: "rows", create: true) == writer.openKeyspace(named: "rows", create: true))
    }

    @Test("A keyspace made in a transaction that aborts is gone, and its handle is free for another")
    func aborted() throws {
        let environment = try Scratch().open(.init(mapSize: 1 << 20, maximumKeyspaces: 1, syncPolicy: .noSync))
        for name in ["one", "two"] {
            let transaction = try environment.beginWrite()
            _ = try transaction.openKeyspace(named: name, create: true)
            transaction.abort()
        }
        #expect(try environment.beginRead().openKeyspace(named: "one") == nil)
        let three = try environment.keyspace("three")
        try environment.write { try $0.put(three, bytes("a"), bytes("1")) }
    }

    @Test("A keyspace of integer keys cannot be opened with byte keys, in the same environment or after reopening")
    func incompatible() throws {
        let scratch = try Scratch()
        do {
            let environment = try scratch.open()
            _ = try environment.keyspace("numbers", integerKeys: true)
            #expect(code { _ = try environment.keyspace("numbers") } == .incompatible)
        }
        let environment = try scratch.open()
        #expect(code { _ = try environment.beginRead().openKeyspace(named: "numbers") } == .incompatible)
        #expect(try environment.beginRead().openKeyspace(named: "numbers", integerKeys: true) != nil)
    }

    @Test(
        "A handle that a reader opened is valid for every transaction once the reader ended, was reset or was renewed")
    func openedByReader() throws {
        for end in [{ $0.end() }, { $0.reset() }, { try $0.renew() }] as [(ReadTransaction) throws -> Void] {
            let scratch = try Scratch()
            do {
                let environment = try scratch.open()
                let rows = try environment.keyspace()
                try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
            }
            let environment = try scratch.open()
            let reader = try environment.beginRead()
            let rows = try #require(try reader.openKeyspace(named: "rows"))
            #expect(try reader.value(rows, bytes("a")) == bytes("1"))
            try end(reader)
            #expect(try environment.keyspace() == rows)
            let later = try environment.beginRead()
            #expect(try later.openKeyspace(named: "rows") == rows)
            #expect(try later.value(rows, bytes("a")) == bytes("1"))
        }
    }

    @Test(
        "Two transactions cannot open keyspaces at the same time; the second one must be renewed after the first ended")
    func oneOpenerAtATime() throws {
        let scratch = try Scratch()
        do {
            let environment = try scratch.open()
            for name in ["one", "two"] { _ = try environment.keyspace(name) }
        }
        let environment = try scratch.open()
        let (first, second) = (try environment.beginRead(), try environment.beginRead())
        let one = try #require(try first.openKeyspace(named: "one"))
        #expect(code { _ = try second.openKeyspace(named: "two") } == .busy)
        first.end()
        #expect(code { _ = try second.openKeyspace(named: "two") } == .busy)
        #expect(code { _ = try second.openKeyspace(named: "one") } == .busy)
        try second.renew()
        #expect(try second.openKeyspace(named: "one") == one)
        #expect(try second.openKeyspace(named: "two") != one)
    }

    @Test("A dropped keyspace is gone, and its name can be used again in the same transaction")
    func drop() throws {
        let environment = try Scratch().open()
        let rows = try environment.keyspace()
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        try environment.write { transaction in
            try transaction.drop(rows)
            let recreated = try transaction.openKeyspace(named: "rows", create: true)
            #expect(try transaction.entryCount(recreated) == 0)
            try transaction.put(recreated, bytes("b"), bytes("2"))
            let other = try transaction.openKeyspace(named: "other", create: true)
            try transaction.put(other, bytes("c"), bytes("3"))
        }
        let reader = try environment.beginRead()
        let recreated = try #require(try reader.openKeyspace(named: "rows"))
        let other = try #require(try reader.openKeyspace(named: "other"))
        #expect(try reader.entries(recreated) == [[bytes("b"), bytes("2")]])
        #expect(try reader.entries(other) == [[bytes("c"), bytes("3")]])
    }

    @Test("The space of a dropped keyspace is used again, so that the data file does not grow with each round")
    func spaceOfDropped() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        var sizes: [Int] = []
        for _ in 0..<20 {
            let rows = try environment.write { transaction -> Keyspace in
                let rows = try transaction.openKeyspace(named: "rows", create: true)
                // A small value shares a page with others, and a large one has pages of its own.
                for (count, length) in [(500, 500), (50, 5_000)] {
                    for number in 0..<count {
                        try transaction.put(rows, bytes("\(length) \(number)"), [UInt8](repeating: 1, count: length))
                    }
                }
                return rows
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.dataFile)
            sizes.append(try #require(attributes[.size] as? Int))
            try environment.write { try $0.drop(rows) }
        }
        // A transaction cannot use the pages that the transaction before it freed, so there is space for two rounds.
        #expect(sizes[19] <= 3 * sizes[0], "\(sizes)")
    }

    @Test("A keyspace made and dropped in one transaction leaves nothing, and other keyspaces can be opened afterwards")
    func madeAndDropped() throws {
        let environment = try Scratch().open()
        try environment.write { try $0.drop(try $0.openKeyspace(named: "brief", create: true)) }
        _ = try environment.keyspace("other")
        #expect(try environment.beginRead().openKeyspace(named: "brief") == nil)
    }

    @Test("A drop is refused while a reader might use the handle, and undone by an abort")
    func dropRefusedOrUndone() throws {
        let environment = try Scratch().open()
        let rows = try environment.keyspace()
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        let reader = try environment.beginRead()
        let writer = try environment.beginWrite()
        #expect(code { try writer.drop(rows) } == .busy)
        reader.reset()
        try writer.drop(rows)
        writer.abort()
        try reader.renew()
        let again = try #require(try reader.openKeyspace(named: "rows"))
        #expect(try reader.value(again, bytes("a")) == bytes("1"))
    }
}
