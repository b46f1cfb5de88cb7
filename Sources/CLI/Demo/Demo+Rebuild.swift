internal import Tidelog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Demo {
    /// Rebuilds SQLite's rows from the log, and compares the state hashes of all three adapters.
    mutating func compareHashes() async throws {
        try stage(
            "Recreate the rows",
            "Rows are a pure function of the log: rebuilt, replayed, in any adapter, they are the same.")
        let progress = SharedProgress("Rebuilding SQLite", on: console)
        let start = ContinuousClock.now
        try await DataStore.rebuild(at: URL(filePath: path(.sqlite)), adapter: .sqlite()) { progress.update($0) }
        let time = ContinuousClock.now - start
        progress.leave()
        let events = try StoreAccess(path: path(.sqlite)).describe().eventCount
        measure("rebuild of SQLite from the log", events, "event", time)

        let lmdb = try StoreAccess(path: path(.lmdb)).openForReading()
        let sqlite = try StoreAccess(path: path(.sqlite)).openForReading()
        let memory = try await DataStore.inMemory(schema: schema)
        let replayed = try await replay(lmdb, into: memory)
        var hashes: [StateHash] = []
        for (name, store) in [("lmdb", lmdb), ("sqlite, rebuilt", sqlite), ("in memory, replayed", memory)] {
            let (hash, count) = try await store.read { snapshot in
                (try snapshot.stateHash(), try snapshot.count("City") + snapshot.count("Country"))
            }
            hashes.append(hash)
            try say("    \(name.padded(to: 20))  \(style.bold("\(hash)"))  \(style.dim("\(counted(count, "row"))"))")
            try await store.close()
        }
        measure("replay of the log in memory", replayed.count, "event", replayed.time)
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
