import Foundation
import Testing
import TidelogLMDB

@Suite("Environments")
struct EnvironmentTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fill(_ environment: Environment) throws {
        let rows = try environment.keyspace()
        try environment.write { transaction in
            for index in 0..<100 { try transaction.put(rows, bytes("key\(index)"), bytes("value\(index)")) }
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("Committed entries can be read after reopening, under every sync policy", arguments: SyncPolicy.allCases)
    func reopen(policy: SyncPolicy) throws {
        for expected in [0, 100] {
            let environment = try scratch.open(.init(mapSize: 1 << 20, syncPolicy: policy))
            let rows = try environment.keyspace()
            #expect(try environment.beginRead().entryCount(rows) == expected)
            try fill(environment)
            try environment.sync()
            environment.close()
        }
    }

    @Test("The directory and its files are accessible only to their owner")
    func permissions() throws {
        let path = scratch.path + "/made"
        try Environment.createDirectory(path)
        #expect(mode(path) == 0o700)
        _ = try Environment(directory: path, options: quick)
        for name in ["data.mdb", "lock.mdb", "open.lock"] { #expect(mode(path + "/" + name) == 0o600) }
        #expect(code { try Environment.createDirectory(path) } == .fileExists)
        #expect(code { try Environment.createDirectory(path + "/no/where") } == .fileNotFound)
    }

    @Test("A second opening in one process is refused, also by another path, until the first is closed")
    func doubleOpen() throws {
        let first = try scratch.open()
        try fill(first)
        #expect(code { _ = try scratch.open() } == .alreadyOpen)
        #expect(code { _ = try Environment(directory: scratch.path + "/../" + name, options: quick) } == .alreadyOpen)
        #expect(code { _ = try scratch.open(.init(isReadOnly: true)) } == .alreadyOpen)
        #expect(try first.beginRead().openKeyspace(named: "rows") != nil)
        first.close()
        _ = try scratch.open()
    }

    private var name: String { URL(fileURLWithPath: scratch.path).lastPathComponent }

    @Test("A failed opening does not prevent a later opening of the same directory")
    func failedOpen() throws {
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: scratch.dataFile))
        for _ in 0..<2 { #expect(code { _ = try scratch.open() } == .damagedFile) }
        try FileManager.default.removeItem(atPath: scratch.dataFile)
        _ = try scratch.open()
    }

    @Test("A closed environment refuses every call; running transactions keep it mapped until they end")
    func close() throws {
        let environment = try scratch.open()
        try fill(environment)
        let reader = try environment.beginRead()
        let rows = try #require(try reader.openKeyspace(named: "rows"))
        environment.close()
        environment.close()
        #expect(code { _ = try environment.beginRead() } == .closed)
        #expect(code { _ = try environment.beginWrite() } == .closed)
        #expect(code { try environment.sync() } == .closed)
        #expect(code { _ = try environment.information } == .closed)
        #expect(try reader.value(rows, bytes("key7")) == bytes("value7"))
        #expect(code { _ = try scratch.open() } == .alreadyOpen)
        #expect(code { try reader.renew() } == .closed)
    }

    @Test("An environment that is released without a close closes when its transactions are gone")
    func release() throws {
        do {
            let reader = try scratch.open().beginRead()
            #expect(code { _ = try scratch.open() } == .alreadyOpen)
            reader.reset()
        }
        _ = try scratch.open()
    }

    @Test("Ended transactions and their cursors do not keep an environment open, even while they are referenced")
    func endedKeepNothing() throws {
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        let (reader, writer) = (try environment.beginRead(), try environment.beginWrite())
        let cursors = [try reader.cursor(rows), try writer.cursor(rows)]
        reader.end()
        try writer.commit()
        environment.close()
        _ = try scratch.open()
        for cursor in cursors { #expect(code { _ = try cursor.next() } == .badTransaction) }
    }

    @Test("An opening waits while open.lock is locked, which means that another process opens or closes")
    func openLock() throws {
        let descriptor = Foundation.open(scratch.path + "/open.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let (scratch, opened) = (scratch, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? scratch.open().close()
            opened.signal()
        }
        usleep(30_000)
        #expect(!FileManager.default.fileExists(atPath: scratch.dataFile))
        #expect(Foundation.close(descriptor) == 0)
        opened.wait()
        #expect(FileManager.default.fileExists(atPath: scratch.dataFile))
    }

    @Test("If a data file is required, a missing or an empty file is an error and stays as it is")
    func requireExisting() throws {
        var options = quick
        options.requireExisting = true
        #expect(code { _ = try scratch.open(options) } == .fileNotFound)
        #expect(!FileManager.default.fileExists(atPath: scratch.dataFile))
        #expect(FileManager.default.createFile(atPath: scratch.dataFile, contents: nil))
        #expect(code { _ = try scratch.open(options) } == .damagedFile)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile)).isEmpty)
        _ = try scratch.open()
        _ = try scratch.open(options)
    }

    @Test("A read-only environment reads, refuses to write, and is not created if it is missing")
    func readOnly() throws {
        let options = Environment.Options(isReadOnly: true)
        #expect(code { _ = try scratch.open(options) } == .fileNotFound)
        try fill(try scratch.open())
        let environment = try scratch.open(options)
        #expect(code { _ = try environment.beginWrite() } == .permissionDenied)
        let reader = try environment.beginRead()
        let rows = try #require(try reader.openKeyspace(named: "rows"))
        #expect(try reader.value(rows, bytes("key1")) == bytes("value1"))
    }

    @Test("An environment's information describes its transactions, pages and readers")
    func information() throws {
        let environment = try scratch.open(.init(mapSize: 1 << 20, maximumReaders: 7, syncPolicy: .noSync))
        #expect(try environment.information.lastTransactionID == 0)
        try fill(environment)
        let information = try environment.information
        #expect(information.lastTransactionID == 2)
        #expect(information.lastPageNumber > 1 && information.maximumReaders == 7 && information.readerCount == 0)
        #expect(information.oldestReaderTransactionID == nil)
        let reader = try environment.beginRead()
        try fill(environment)
        let younger = try environment.beginRead()
        #expect(try environment.information.oldestReaderTransactionID == reader.id)
        reader.end()
        #expect(try environment.information.oldestReaderTransactionID == younger.id)
        #expect(try environment.information.readerCount == 2)
        #expect(try environment.clearStaleReaders() == 0)
    }

    @Test("A reader without a free slot is a typed error, and a reader that ends frees its slot")
    func readersFull() throws {
        let environment = try scratch.open(.init(mapSize: 1 << 20, maximumReaders: 3, syncPolicy: .noSync))
        // LMDB increases the number of slots to as many as its lock file has room for.
        let limit = try environment.information.maximumReaders
        var readers = try (0..<limit).map { _ in try environment.beginRead() }
        #expect(code { _ = try environment.beginRead() } == .readersFull)
        readers.removeLast()
        try environment.beginRead().end()
    }

    @Test("A copy opens and has every entry, and copying never overwrites another copy", arguments: [false, true])
    func copy(compacting: Bool) throws {
        let environment = try scratch.open()
        try fill(environment)
        let target = scratch.path + "/copy"
        #expect(code { try environment.copy(to: target, compacting: compacting) } == .fileNotFound)
        try Environment.createDirectory(target)
        try environment.copy(to: target, compacting: compacting)
        #expect(mode(target + "/data.mdb") == 0o600)
        #expect(code { try environment.copy(to: target, compacting: compacting) } == .fileExists)
        let copy = try Environment(directory: target, options: quick)
        let rows = try copy.keyspace()
        #expect(try copy.beginRead().entryCount(rows) == 100)
        try fill(copy)
    }

    @Test("The LMDB library has version 0.9 and the known format")
    func version() {
        #expect(LMDBVersion.current.major == 0 && LMDBVersion.current.minor == 9)
        #expect(LMDBVersion.built.hasKnownFormat && LMDBVersion.current.hasKnownFormat)
        #expect(LMDBVersion.current.description.split(separator: ".").count == 3)
    }

    @Test("An error's description names the operation and the reason")
    func errorDescription() {
        let error = LMDBError(code: .mapFull, operation: "put")
        #expect(error.description.hasPrefix("put: MDB_MAP_FULL") && error.description.hasSuffix("(-30792)"))
        let damage = LMDBError(code: .damagedFile, operation: "inspect", reason: "cut short")
        #expect(damage.description == "inspect: the data file is damaged (-31001): cut short")
        #expect(LMDBError(code: .ioError, operation: "commit").isFatal && !error.isFatal)
    }
}
