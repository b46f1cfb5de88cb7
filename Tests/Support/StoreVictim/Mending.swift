import Foundation
import Tidelog

/// Writes commits. After each commit it waits without writing until reads succeed again.
///
/// It prints `ack N SEQUENCE`, `mended N` if reads failed for a while, `error N CODE`, and `closed`.
struct Mending {
    private let directory: URL
    private let adapter: AdapterFactory
    private let durability: Durability
    private let numbers: [Int]

    private static let patience = Duration.seconds(30)

    init(_ arguments: [String]) {
        directory = URL(fileURLWithPath: arguments[1])
        adapter = StoreVictim.factory(arguments[2])
        durability = StoreVictim.durability(arguments[3])
        numbers = arguments[4].split(separator: "-").compactMap { Int($0) }
    }

    func run() async throws {
        let store = try await DataStore.open(
            at: directory, adapter: adapter, configuration: DataStoreConfiguration(durability: durability))
        for number in numbers[0]..<numbers[1] {
            do {
                let commit = try await store.apply(number, of: .insert)
                StoreVictim.say("ack \(number) \(commit.last)")
                try await expectReads(store, commit, number)
            } catch let error as DataStoreError {
                StoreVictim.say("error \(number) \(error.code) \(error)")
            }
        }
        do { try await store.close() } catch let error as DataStoreError {
            return StoreVictim.say("close \(error.code)")
        }
        StoreVictim.say("closed")
    }

    private func expectReads(_ store: DataStore, _ commit: Commit, _ number: Int) async throws {
        let deadline = ContinuousClock.now + Self.patience
        var wasRefused = false
        while true {
            do {
                guard try await store.read({ try $0.sequence }) >= commit.last else {
                    throw Wrong("commit \(number) was acknowledged and is not read")
                }
                if wasRefused { StoreVictim.say("mended \(number)") }
                return
            } catch let error as DataStoreError where error.code == .projectionUnavailable {
                wasRefused = true
                guard ContinuousClock.now < deadline else { throw Wrong("the rows are not mended: \(error)") }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}
