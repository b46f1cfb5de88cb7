import Foundation
import Tidelog

extension DataStoreConfiguration {
    /// A configuration with a tail. Its files are full after a few groups, after more groups, or never, depending on the
    /// number.
    static func withTail(_ durability: Durability, of number: Int) -> DataStoreConfiguration {
        var configuration = DataStoreConfiguration(durability: durability)
        configuration.logTailByteCount = [2_048, 16_384, nil][number % 3]
        return configuration
    }
}

/// Runs a workload and prints which commits were acknowledged. It continues after errors.
struct Runner {
    private let workload: Workload
    private let directory: URL
    private let adapter: AdapterFactory
    private let durability: Durability
    private let first: Int
    private let count: Int

    init(_ arguments: [String]) {
        workload = StoreVictim.workload(arguments[1])
        directory = URL(fileURLWithPath: arguments[2])
        adapter = StoreVictim.factory(arguments[3])
        durability = StoreVictim.durability(arguments[4])
        let numbers = arguments[5].split(separator: "-").compactMap { Int($0) }
        first = numbers.count > 1 ? numbers[0] : 0
        count = numbers.last ?? 0
    }

    func run() async throws {
        switch workload {
        case .insert, .update, .batch:
            let store = try await open(version: 1)
            for number in first..<count { await apply(number, to: store) }
            try await close(store)
        case .savers:
            let store = try await open(version: 1)
            await withTaskGroup(of: Void.self) { group in
                for saver in 0..<Workload.saverCount {
                    group.addTask {
                        for number in stride(from: first + saver, to: count, by: Workload.saverCount) {
                            await apply(number, to: store)
                        }
                    }
                }
            }
            try await close(store)
        case .reopen: for number in first..<count { try await runOne(number) }
        case .grow:
            for start in stride(from: first, to: count, by: 3) {
                let store = try await open(version: workload.version(min(start + 2, count - 1)))
                for number in start..<min(start + 3, count) { await apply(number, to: store) }
                try await close(store)
            }
        }
    }

    private func runOne(_ number: Int) async throws {
        let store = try await open(version: 1)
        await apply(number, to: store)
        try await close(store)
    }

    private func open(version: Int) async throws -> DataStore {
        try await DataStore.open(
            at: directory, schema: workload.schema(version: version), adapter: adapter,
            configuration: .withTail(durability, of: first + count))
    }

    private func close(_ store: DataStore) async throws {
        do {
            try await store.close()
        } catch let error as DataStoreError {
            return StoreVictim.say("close \(error.code)")
        }
        StoreVictim.say("closed")
    }

    private func apply(_ number: Int, to store: DataStore) async {
        do {
            let commit = try await store.apply(number, of: workload)
            StoreVictim.say("ack \(number) \(commit.last)")
        } catch let error as DataStoreError {
            StoreVictim.say("error \(number) \(error.code) \(error)")
            await read(store)
        } catch {
            StoreVictim.say("unexpected \(number) \(error)")
        }
    }

    /// Reads after a failed write. Reads must succeed after any such failure, unless the rows do not follow the log.
    private func read(_ store: DataStore) async {
        do {
            let found = try await store.read { (try $0.count(Record.all(of: "Item")), try $0.sequence) }
            StoreVictim.say("read \(found.0) \(found.1)")
        } catch let error as DataStoreError {
            StoreVictim.say("unread \(error.code)")
        } catch {
            StoreVictim.say("unexpected read \(error)")
        }
    }
}
