@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText

// MARK: - A killed writer

extension Demo {
    /// Kills an import while it runs, and checks that every acknowledged record is in the store.
    mutating func killWriter() async throws {
        try stage(
            "Kill the writer",
            "Another process imports and acknowledges each durable commit; SIGKILL ends it in mid-load.")
        let store = "\(directory)/world-killed"
        try FileSystem.removeTree(store)
        let arguments = [
            "import", "--store", store, "--schema", world.schema, "--batch", "100", "--ack", "City", world.cities,
        ]
        let cityCount = try await count("City", in: path(.lmdb))
        let child = try ChildRun(System.executable, arguments, readsOutput: true)
        var acknowledged = 0
        while let line = child.readLine() {
            acknowledged = try Self.acknowledged(line)
            // The lines that the child wrote before it was killed count too, so the pipe is read to its end.
            if acknowledged >= cityCount * 2 / 5 { child.kill() }
        }
        let end = try await child.wait()
        try require(end == .killed(signal: 9), "the writer ended before it was killed")
        try say("    killed after it had acknowledged \(acknowledged.grouped) of \(counted(cityCount, "record"))")
        let missing = try await missing(first: acknowledged, in: store)
        try require(missing == 0, "\(counted(missing, "acknowledged record")) cannot be found")
        let found = try await count("City", in: store)
        try success("\(acknowledged.grouped) acknowledged, \(found.grouped) in the store, 0 missing")

        let again = try StoreAccess(path: store).openForWriting(console: console)
        let target = try await StoreImport(
            into: again, model: try again.layout.model(called: "City"), origin: .local)
        var importer = RecordImporter(into: target, options: .init(), console: console)
        let rest = try await importer.run(InputSource(world.cities))
        try await again.close()
        let whole = try await count("City", in: store)
        try require(whole == cityCount, "the import that was run again does not have all records")
        try success(
            "run again, it continues: \(rest.unchangedCount.grouped) there already, \(counted(whole, "record"))")
    }

    private static func acknowledged(_ line: String) throws -> Int {
        let value = try JSONValue(parsing: Array(line.utf8))
        guard case .int(let count)? = value["acknowledged"] else { return 0 }
        return Int(count)
    }

    private func count(_ model: String, in path: String) async throws -> Int {
        // The store is opened for writing, so that the rows of the killed writer first catch up with the log.
        let store = try StoreAccess(path: path).openForWriting(console: console)
        let count = try await store.read { try $0.count(Record.all(of: model)) }
        try await store.close()
        return count
    }

    /// How many of the first `count` cities of the file are not in the store.
    private func missing(first count: Int, in path: String) async throws -> Int {
        let store = try StoreAccess(path: path).openForWriting(console: console)
        let model = try store.layout.model(called: "City")
        let file = try InputSource(world.cities).readAll()
        let missing = try await store.read { snapshot in
            var reader = RowJSONReader(layout: model)
            var splitter = JSONLineSplitter()
            var lines = 0
            var missing = 0
            try splitter.append(file) { line in
                lines += 1
                guard lines <= count else { return }
                let isThere = try reader.withRow(line.bytes) { expected in
                    try snapshot.withRow(of: model.recordID(of: expected), in: model) { row in
                        row.map { $0.bytes.elementsEqual(expected.bytes) } ?? false
                    }
                }
                if !isThere { missing += 1 }
            }
            return missing
        }
        try await store.close()
        return missing
    }
}

// MARK: - Rows from the log

extension Demo {
    /// Rebuilds SQLite's rows from the log, and compares the state hashes of all three adapters.
    mutating func compareHashes() async throws {
        try stage(
            "Recreate the rows",
            "Rows are a pure function of the log: rebuilt, replayed, in any adapter, they are the same.")
        let access = StoreAccess(path: path(.sqlite))
        let start = ContinuousClock.now
        try await ProgressBar.Shared.showing("Rebuilding SQLite", on: console) { progress in
            try await StoreFiles.rebuild(at: access.url, adapter: .sqlite()) { progress.update($0) }
        }
        let time = ContinuousClock.now - start
        let events = try access.describe().eventCount
        measure("rebuild of SQLite from the log", events, "event", took: time)

        let lmdb = try StoreAccess(path: path(.lmdb)).openForReading()
        let sqlite = try access.openForReading()
        let memory = try await DataStore.inMemory(schema: schema)
        let replayed = try await replay(lmdb, into: memory)
        var hashes: [StateHash] = []
        for (name, store) in [("lmdb", lmdb), ("sqlite, rebuilt", sqlite), ("in memory, replayed", memory)] {
            let (hash, count) = try await store.read { snapshot in
                (
                    try snapshot.stateHash(),
                    try snapshot.count(Record.all(of: "City")) + snapshot.count(Record.all(of: "Country"))
                )
            }
            hashes.append(hash)
            try say("    \(name.padded(to: 20))  \(style.bold("\(hash)"))  \(style.dim("\(counted(count, "row"))"))")
            try await store.close()
        }
        measure("replay of the log in memory", replayed.count, "event", took: replayed.time)
        try require(Set(hashes).count == 1, "the state hashes differ")
        try success("equal")
    }

    /// Saves the content of every event of `source` into `target`, in order.
    private func replay(_ source: DataStore, into target: DataStore) async throws -> (count: Int, time: Duration) {
        let head = try source.head.sequence
        let start = ContinuousClock.now
        var events: [Event] = []
        var count = 0
        for try await event in source.events(after: SequenceNumber.zero) {
            events.append(event)
            count += 1
            let isLast = event.sequence >= head
            if events.count == 10_000 || isLast {
                let batch = events
                try await target.write { transaction in
                    for event in batch {
                        _ = try event.withRow { row, model in try transaction.save(row, of: model) }
                    }
                }
                events = []
            }
            if isLast { break }
        }
        return (count, ContinuousClock.now - start)
    }
}
