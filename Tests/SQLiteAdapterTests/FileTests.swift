import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogPlatform
@_spi(Adapters) import TidelogSQLiteAdapter

@Suite("The file is plain SQLite, private, and checked when it is opened")
struct FileTests {
    private static let city = ModelSchema(
        name: "City",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string), FieldSchema("population", .int),
            FieldSchema("area", .double), FieldSchema("isCapital", .bool), FieldSchema("founded", .date),
            FieldSchema("tags", .list(.string, elementIsRequired: true)),
        ], indexes: [IndexSchema(name: "byPopulation", fields: ["population"])])

    private func filled(_ count: Int = 3) throws -> Fixture {
        let fixture = try Fixture(Self.city)
        let model = try fixture.model("City")
        let rows = try (0..<count).map { number in
            try EncodedRow(
                Record(
                    model: "City",
                    values: [
                        "id": .string("c\(number)"), "name": .string("City \(number)"),
                        "population": .int(Int64(number)),
                        "area": 2.0, "isCapital": .bool(number == 0), "founded": "1237-10-28", "tags": .list(["x"]),
                    ]), layout: model)
        }
        try fixture.put(rows, in: model)
        return fixture
    }

    private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }

    private func open(_ directory: TemporaryDirectory, isReadOnly: Bool = false) throws -> any StorageAdapter {
        try AdapterFactory.sqlite().make(directory.path, isReadOnly)
    }

    @Test("A path that is too long for SQLite is refused by name, and the longest possible path works")
    func longPaths() throws {
        for (byteCount, code) in [(504, nil), (505, DataStoreError.Code.unsafePath), (700, .unsafePath)] {
            let outer = try TemporaryDirectory()
            let resolved = try #require(realpath(outer.path, nil))
            defer { free(resolved) }
            // The path of the file ends with `/rows.sqlite`.
            let missing = byteCount - String(cString: resolved).utf8.count - "/rows.sqlite".utf8.count
            var names = Array(repeating: String(repeating: "d", count: 99), count: missing / 100)
            let rest = missing - 100 * names.count
            if rest == 1 { names[0] += "d" } else if rest > 1 { names.append(String(repeating: "d", count: rest - 1)) }
            var path = outer.path
            for name in names {
                path += "/" + name
                try FileSystem.createDirectory(path)
            }
            #expect(self.code { try AdapterFactory.sqlite().make(path, false).close() } == code, "\(byteCount)")
            #expect(self.code { try AdapterFactory.sqlite().make(path, true).close() } == code, "\(byteCount)")
        }
    }

    @Test("Another program reads the rows as typed columns")
    func plain() throws {
        let fixture = try filled()
        let plain = try PlainSQLite(fixture.directory.file)
        let columns = try plain.columns(of: "City")
        #expect(
            columns.map { "\($0.name) \($0.type)" } == [
                "_key BLOB", "_sequence INTEGER", "id TEXT", "name TEXT", "population INTEGER", "area REAL",
                "isCapital INTEGER", "founded TEXT", "founded_instant BLOB", "tags BLOB",
            ])
        let rows = try plain.rows(
            """
            SELECT id, name, population, area, isCapital, founded, typeof(area), _sequence FROM City \
            WHERE population >= 1 ORDER BY population
            """)
        #expect(rows[0] == ["c1", "City 1", "1", "2.0", "0", "1237-10-28", "real", "5"])
        #expect(rows.count == 2)
        #expect(try plain.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try plain.rows("PRAGMA journal_mode") == [["wal"]])
    }

    @Test("The file and SQLite's files next to it are accessible only to their owner")
    func permissions() throws {
        let fixture = try filled()
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(lstat(fixture.directory.file + suffix, &status) == 0, "\(suffix)")
            #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
        }
    }

    @Test("Closing leaves one file without a write-ahead log; opening it again finds the rows and the checkpoint")
    func reopen() throws {
        let fixture = try filled()
        let model = try fixture.model("City")
        let before = try fixture.read { try $0.rows(try StorageQuery(model: model)) }
        try fixture.adapter.close()
        #expect(access(fixture.directory.file + "-wal", F_OK) != 0)
        #expect(code { _ = try fixture.adapter.snapshot() } == .closed)
        #expect(code { _ = try fixture.adapter.begin() } == .closed)
        try fixture.reopen()
        try fixture.read { snapshot throws in
            #expect(try snapshot.rows(try StorageQuery(model: model)).map(\.row) == before.map(\.row))
            #expect(try snapshot.checkpoint() == fixture.checkpoint)
        }
    }

    @Test("A read-only adapter sees each commit of another adapter, and refuses to write")
    func readOnly() throws {
        let fixture = try filled()
        let model = try fixture.model("City")
        let reader = try open(fixture.directory, isReadOnly: true)
        let count = {
            let snapshot = try reader.snapshot()
            defer { snapshot.end() }
            return try snapshot.count(try StorageQuery(model: model))
        }
        #expect(try count() == 3)
        try fixture.put(["id": "new"], in: "City")
        #expect(try count() == 4)
        #expect(code { _ = try reader.begin() } == .readOnly)
        #expect(code { try reader.clear() } == .readOnly)
        try reader.close()
        try fixture.adapter.close()
        let later = try open(fixture.directory, isReadOnly: true)
        let snapshot = try later.snapshot()
        #expect(try snapshot.count(try StorageQuery(model: model)) == 4)
        snapshot.end()
        try later.close()
    }

    @Test("A read-only adapter sees a commit that another process makes while the adapter is open")
    func readOnlyBesideProcess() async throws {
        let fixture = try filled()
        let model = try fixture.model("City")
        try fixture.adapter.close()
        let reader = try open(fixture.directory, isReadOnly: true)
        let before = try reader.snapshot()
        #expect(try before.count(try StorageQuery(model: model)) == 3)
        before.end()
        await #expect(processExitsWith: .success) { [path = fixture.directory.path as String] in
            let writer = try AdapterFactory.sqlite().make(path, false)
            let model = SchemaLayout(StoredSchema(first: Schema(models: [Self.city]))).models[0]
            let transaction = try writer.begin()
            let row = try EncodedRow(Record(model: "City", values: ["id": "new"]), layout: model)
            try transaction.put([row], in: model, existed: false)
            try transaction.commit(
                checkpoint: Checkpoint(
                    store: StoreID(high: 7, low: 9), sequence: SequenceNumber(3), chain: 42, schemaVersion: 1,
                    projectionSignature: 0))
            try writer.close()
        }
        let after = try reader.snapshot()
        #expect(try after.count(try StorageQuery(model: model)) == 4)
        #expect(try after.checkpoint()?.sequence == SequenceNumber(3))
        after.end()
        try reader.close()
        // The fixture removes its directory when it is released.
        withExtendedLifetime(fixture) {}
    }

    @Test("A missing file cannot be opened read-only, and an empty file is opened as a new one")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect(code { _ = try open(directory, isReadOnly: true) } == .projectionUnavailable)
        write([], to: directory.file)
        let adapter = try open(directory)
        let snapshot = try adapter.snapshot()
        #expect(try snapshot.checkpoint() == nil)
        snapshot.end()
        try adapter.close()
    }

    @Test("A file of another program, a newer format, garbage and a symbolic link are refused with the right code")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try PlainSQLite(directory.file).run("CREATE TABLE t(a)")
        #expect(code { _ = try open(directory) } == .damaged)
        write(Array(repeating: 0x41, count: 8_192), to: directory.file)
        #expect(code { _ = try open(directory) } == .damaged)
        let fixture = try filled()
        try fixture.adapter.close()
        try PlainSQLite(fixture.directory.file).run("PRAGMA user_version = 2")
        #expect(code { _ = try open(fixture.directory) } == .newerFormat)
        #expect(code { _ = try open(fixture.directory, isReadOnly: true) } == .newerFormat)
        let linked = try TemporaryDirectory()
        symlink(fixture.directory.file, linked.file)
        #expect(code { _ = try open(linked) } == .unsafePath)
    }

    @Test(
        "Damage at any place in the file gives an error with a code or goes unnoticed, and causes no crash",
        arguments: 0..<4)
    func damage(seed: Int) throws {
        let fixture = try filled(800)
        let model = try fixture.model("City")
        try fixture.adapter.close()
        let good = try contents(of: fixture.directory.file)
        var random = SeededGenerator(UInt64(seed))
        var refused = 0
        for round in 0..<60 {
            var bytes = good
            if round % 6 == 0 {
                bytes.removeLast(1 + random.below(bytes.count - 1))
            } else {
                let start = random.below(bytes.count)
                for offset in start..<min(start + 1 + random.below(200), bytes.count) {
                    bytes[offset] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            write(bytes, to: fixture.directory.file)
            do {
                let adapter = try open(fixture.directory)
                let snapshot = try adapter.snapshot()
                defer {
                    snapshot.end()
                    try? adapter.close()
                }
                for predicate in [.all, QueryPredicate.field("population", .greater(3))] {
                    _ = try snapshot.records(try StorageQuery(model: model, predicate: predicate))
                }
            } catch let error as DataStoreError {
                #expect([.damaged, .newerFormat, .inputOutput].contains(error.code), "\(error)")
                refused += 1
            } catch is RowDamage {
                refused += 1
            }
        }
        #expect(refused > 10)
    }

    private func write(_ bytes: [UInt8], to path: String) {
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private func contents(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw TestFailure("no file") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        return Array(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
    }
}
