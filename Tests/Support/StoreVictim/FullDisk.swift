import Foundation
@_spi(Adapters) import Tidelog
import TidelogSynchronization

/// Writes until the disk is full, deletes a ballast file, and continues in the same open store.
///
/// It prints `ack N SEQUENCE`, `error N CODE`, `freed`, and `closed`. After each error it reads every record. It prints `unread
/// CODE` if this read fails, and `incomplete COUNT` if an acknowledged record is missing.
struct FullDisk {
    private let directory: URL
    private let adapter: AdapterFactory
    private let made = Made()
    private let durability: Durability
    private let ballast: String

    private static let mostCommits = 20_000
    private static let commitsAfterwards = 20
    private static let snapshotCount = 300

    /// The adapter, after it was made.
    private final class Made: Sendable {
        let adapter = Mutex<(any StorageAdapter)?>(nil)
    }

    init(_ arguments: [String]) {
        directory = URL(fileURLWithPath: arguments[1])
        let factory = StoreVictim.factory(arguments[2])
        adapter = AdapterFactory(name: factory.name, isPersistent: factory.isPersistent) { [made] path, isReadOnly in
            let adapter = try factory.make(path, isReadOnly)
            made.adapter.withLock { $0 = adapter }
            return adapter
        }
        durability = StoreVictim.durability(arguments[3])
        ballast = arguments[4]
    }

    func run() async throws {
        let store = try await openOrFree()
        var number = 0
        var failures = 0
        var acknowledged = 0
        while failures < 3, number < Self.mostCommits, !isFreed {
            if await apply(number, to: store) {
                acknowledged += 1
            } else {
                failures += 1
                await readAll(store, acknowledged)
            }
            number += 1
        }
        if !isFreed {
            try takeManySnapshots()
            free()
        }
        for _ in 0..<Self.commitsAfterwards {
            guard await apply(number, to: store) else { throw Wrong("commit \(number) failed though there is space") }
            number += 1
        }
        _ = try await store.read { try $0.stateHash() }
        try await store.close()
        StoreVictim.say("closed")
    }

    private func openOrFree() async throws -> DataStore {
        do {
            return try await open()
        } catch let error as DataStoreError where error.code == .storageFull {
            StoreVictim.say("unopened \(error)")
            free()
            return try await open()
        }
    }

    private var isFreed: Bool { access(ballast, F_OK) != 0 }

    private func open() async throws -> DataStore {
        try await DataStore.open(
            at: directory, schema: Workload.insert.schema(version: 1), adapter: adapter,
            configuration: .withTail(durability, of: 1))
    }

    /// Opens more snapshots than before, because these need more space in the files that readers share.
    private func takeManySnapshots() throws {
        guard adapter.name == "lmdb", let adapter = made.adapter.withLock({ $0 }) else { return }
        let snapshots = try (0..<Self.snapshotCount).map { _ in try adapter.snapshot() }
        for snapshot in snapshots { snapshot.end() }
    }

    private func free() {
        // A process that was started in between may still have the file open, so its content is removed first.
        truncate(ballast, 0)
        unlink(ballast)
        StoreVictim.say("freed")
    }

    private func apply(_ number: Int, to store: DataStore) async -> Bool {
        do {
            let commit = try await store.apply(number, of: .insert)
            StoreVictim.say("ack \(number) \(commit.last)")
            return true
        } catch let error as DataStoreError {
            StoreVictim.say("error \(number) \(error.code) \(error)")
        } catch {
            StoreVictim.say("unexpected \(number) \(error)")
        }
        return false
    }

    /// Reads every acknowledged record. A full disk must not make any of them unreadable.
    private func readAll(_ store: DataStore, _ acknowledged: Int) async {
        do {
            let count = try await store.fetch(Record.all(of: "Item")).count
            if count != acknowledged { StoreVictim.say("incomplete \(count) of \(acknowledged)") }
        } catch {
            StoreVictim.say("unread \((error as? DataStoreError)?.code.name ?? "unexpected") \(error)")
        }
    }
}
