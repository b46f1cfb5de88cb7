import Foundation
import TestStores
import Testing
import TidelogSynchronization

@testable import Tidelog
@testable import TidelogCore

@Suite("Calls that overlap", .timeLimit(.minutes(5)))
struct OverlappingCallTests {
    /// A call that is repeated as long as the store is open.
    private struct Call: Sendable {
        let name: String
        let run: @Sendable (DataStore, Int) async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (DataStore, Int) async throws -> Void) {
            (self.name, self.run) = (name, run)
        }
    }

    /// The number of successful calls of each kind.
    private final class Successes: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

        func count(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
    }

    private static func calls(_ scratch: Scratch) -> [Call] {
        [
            Call("save") { store, turn in try await store.save(item("r\(turn % 300)", "title \(turn)")) },
            Call("write") { store, turn in
                try await store.write { transaction in
                    for number in 0..<(turn % 40) { try transaction.save(item("s\(number)", "\(turn)")) }
                    if turn % 5 == 0 { try transaction.delete("Item", id: RecordID("r\(turn % 300)")) }
                }
            },
            Call("query") { store, _ in _ = try await store.fetch(Record.all(of: "Item")) },
            Call("history") { store, turn in _ = try await store.history(of: "Item", id: RecordID("r\(turn % 300)")) },
            Call("verify") { store, _ in
                let report = try await store.verify()
                #expect(report.isWhole, "\(report.differences) \(report.damaged)")
            },
            Call("rebuild") { store, _ in try await store.rebuild() },
            Call("compact") { store, turn in
                try await store.compact(tombstoneAge: .zero, shrink: turn % 3 == 0)
            },
            Call("backup") { store, turn in
                let target = scratch.path("backup-\(turn)")
                try await store.backup(to: target)
                try FileManager.default.removeItem(at: target)
            },
            Call("consume") { store, turn in
                _ = try await store.consumer(named: "audit").position
                let commit = try await store.save(item("c\(turn % 20)", "\(turn)"))
                let place = try store.position(of: commit.last)
                try await store.write { try $0.moveConsumer("audit", to: place) }
            },
        ]
    }

    /// The time for which the calls overlap on each adapter.
    private static let duration = Duration.seconds(20)

    @Test(
        "overlapping calls succeed or throw `closed` or `lagged`, also during close, and the store stays whole",
        arguments: Adapter.all)
    func overlapping(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var configuration = DataStoreConfiguration(durability: .full)
        configuration.logTailByteCount = 256 << 10
        let deadline = ContinuousClock.now + Self.duration
        let successes = Successes()
        var round = 0
        while ContinuousClock.now < deadline {
            let store = try await scratch.open(adapter, configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for call in Self.calls(scratch) {
                    group.addTask { [round] in
                        var turn = round * 1_000
                        while true {
                            do {
                                try await call.run(store, turn)
                                successes.note(call.name)
                            } catch let error as DataStoreError where error.code == .lagged {
                            } catch let error as DataStoreError where error.code == .closed {
                                return
                            } catch {
                                Issue.record("\(call.name) on \(adapter.factory.name): \(error)")
                                return
                            }
                            turn += 1
                            await Task.yield()
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(700 + 330 * (round % 4)))
                try await store.close()
                try await group.waitForAll()
            }
            round += 1
        }
        for call in Self.calls(scratch) {
            #expect(successes.count(call.name) > 0, "\(call.name) never succeeded")
        }
    }
}
