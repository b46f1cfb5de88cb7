import Foundation
import Tidelog

/// Writes until the disk is full, frees a file of ballast, and goes on in the same open store.
///
/// Prints `ack N SEQUENCE`, `error N CODE`, `freed`, and `closed`.
struct FullDisk {
    private let directory: URL
    private let adapter: AdapterFactory
    private let durability: Durability
    private let ballast: String

    private static let mostCommits = 20_000
    private static let commitsAfterwards = 20

    init(_ arguments: [String]) {
        directory = URL(fileURLWithPath: arguments[1])
        adapter = StoreVictim.factory(arguments[2])
        durability = StoreVictim.durability(arguments[3])
        ballast = arguments[4]
    }

    func run() async throws {
        let store: DataStore
        var number = 0
        do {
            store = try await open()
            var failures = 0
            while failures < 3, number < Self.mostCommits {
                failures += await apply(number, to: store) ? 0 : 1
                number += 1
            }
            free()
        } catch let error as DataStoreError where error.code == .storageFull {
            StoreVictim.say("unopened")
            free()
            store = try await open()
        }
        for _ in 0..<Self.commitsAfterwards {
            guard await apply(number, to: store) else { throw Wrong("commit \(number) failed though there is space") }
            number += 1
        }
        _ = try await store.read { try $0.stateHash() }
        try await store.close()
        StoreVictim.say("closed")
    }

    private func open() async throws -> DataStore {
        try await DataStore.open(
            at: directory, schema: Workload.insert.schema(version: 1), adapter: adapter,
            configuration: DataStoreConfiguration(durability: durability))
    }

    private func free() {
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
        do {
            _ = try await store.read { try $0.stateHash() }
        } catch {
            StoreVictim.say("unread \((error as? DataStoreError)?.code.name ?? "unexpected") \(error)")
        }
        return false
    }
}
