import Foundation
import TestWaiting
import Testing
import TidelogServer
import TidelogSynchronization

@testable import TidelogAmplify

/// A setting of the person that a sync expression depends on.
private final class Setting: Sendable {
    private let value: Mutex<Int?>

    init(_ value: Int?) { self.value = Mutex(value) }

    var stars: Int? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension FacadeTests {
    @Suite("Amplify's calls with a server")
    struct SyncedTests {
        @Test("the first call starts syncing in both directions, and a call after stop starts it again")
        func start() async throws {
            try await SyncedApp.serve { app in
                try await app.give([Story.titled("1", 1)])
                try app.configure()
                #expect(try await Amplify.DataStore.query(Story.self).count <= 1)
                try await app.waitForStories(["1"])
                try await Amplify.DataStore.save(Story.titled("2", 2))
                try await eventually { try await app.served().count >= 2 }
                try await Amplify.DataStore.stop()
                try await app.give([Story.titled("3", 3)])
                try await app.waitForStories(["1", "2", "3"])
            }
        }

        @Test("sync expressions are evaluated at each start, so records arrive and leave when an expression changes")
        func expressions() async throws {
            try await SyncedApp.serve { app in
                try await app.give([
                    Story.titled("1", 1), Story.titled("3", 3), Story.titled("7", 7), Story.titled("9", 9),
                ])
                let setting = Setting(5)
                try app.configure(
                    .custom(syncExpressions: [
                        DataStoreSyncExpression.syncExpression(Story.schema) {
                            guard let stars = setting.stars else {
                                return QueryPredicateConstant.all
                            }
                            return Story.keys.stars.gt(stars)
                        },
                        DataStoreSyncExpression.syncExpression(Remark.schema) { Remark.keys.text.beginsWith("the") },
                    ]))
                try await app.waitForStories(["7", "9"])
                for (stars, ids) in [(1, ["3", "7", "9"]), (8, ["9"]), (nil, ["1", "3", "7", "9"])] {
                    setting.stars = stars
                    try await Amplify.DataStore.stop()
                    try await Amplify.DataStore.start()
                    try await app.waitForStories(ids)
                }
            }
        }

        @Test("a sync expression over the fields of an index becomes an index query on the server")
        func indexQuery() async throws {
            try await SyncedApp.serve { app in
                try app.configure(
                    .custom(syncExpressions: [
                        DataStoreSyncExpression.syncExpression(Reader.schema) {
                            Reader.keys.lastName.eq("Doe").and(Reader.keys.createdAt.gt("2020-10-10"))
                        }
                    ]))
                let synced = Amplify.DataStore.observeQuery(for: Reader.self)
                for try await snapshot in synced where snapshot.isSynced { break }
                let accesses = app.requests.reports("syncReaders").compactMap { $0.page?.access }
                #expect(!accesses.isEmpty && accesses.allSatisfy { $0 == .index("byLastName") }, "\(accesses)")
            }
        }

        @Test("clear empties the device, discards unsent changes, and leaves the server unchanged")
        func clear() async throws {
            try await SyncedApp.serve { app in
                try await app.give([Story.titled("1", 1), Story.titled("2", 2)])
                try app.configure(.custom(errorHandler: { _ in }))
                try await app.waitForStories(["1", "2"])
                try await Amplify.DataStore.stop()
                // No engine runs, so this change is not sent.
                let store = try #require(Configuration.shared.current?.store)
                try await store.save(Story.titled("3", 3))
                try await Amplify.DataStore.clear()
                #expect(try await store.count(Story.all) == 0)
                #expect(try await app.served().map(\.id) == ["1", "2"])
                try await app.waitForStories(["1", "2"])
            }
        }

        @Test("a conflict handler can merge the local title into the server's record, which keeps its id")
        func conflict() async throws {
            try await SyncedApp.serve(.optimistic) { app in
                try await app.give([Story.titled("1", 1)])
                let rounds = Mutex(0)
                try app.configure(
                    .custom(
                        errorHandler: { error in Amplify.Logging.error(error: error) },
                        conflictHandler: { (data, resolve) in
                            rounds.withLock { $0 += 1 }
                            guard let local = data.local as? Story, let remote = data.remote as? Story else {
                                resolve(.applyRemote)
                                return
                            }
                            let merged = Story(title: local.title, stars: remote.stars, state: remote.state)
                            resolve(.retry(merged))
                            // Only the first decision counts.
                            resolve(.applyRemote)
                        },
                        syncInterval: .hours(24), syncMaxRecords: 10_000, syncPageSize: 1_000))
                try await app.waitForStories(["1"])
                try await Amplify.DataStore.stop()
                let other = try await app.otherDevice()
                _ = await other.engine.runOnce()
                try await other.store.save(Story(id: "1", title: "There", stars: 8, state: .draft))
                _ = await other.engine.runOnce()

                let store = try #require(Configuration.shared.current?.store)
                try await store.save(Story(id: "1", title: "Here", stars: 2, state: .out))
                try await Amplify.DataStore.start()
                let merged = Story(id: "1", title: "Here", stars: 8, state: .draft)
                for try await snapshot in Amplify.DataStore.observeQuery(for: Story.self) {
                    let story = snapshot.items.first
                    if story?.title == merged.title, story?.stars == merged.stars, story?.state == merged.state {
                        break
                    }
                }
                try await eventually { try await app.served().first?.title == "Here" }
                #expect(try await app.served().map(\.id) == ["1"])
                #expect(rounds.withLock { $0 } == 1)
            }
        }

        @Test("an undecided conflict delays only its own record, and stop does not wait for the decision")
        func undecided() async throws {
            try await SyncedApp.serve(.optimistic) { app in
                try await app.give([Story.titled("1", 1)])
                let asked = AsyncStream<Void>.makeStream()
                try app.configure(.custom(conflictHandler: { _, _ in asked.continuation.yield() }))
                try await app.waitForStories(["1"])
                try await Amplify.DataStore.stop()
                let other = try await app.otherDevice()
                _ = await other.engine.runOnce()
                try await other.store.save(Story.titled("1", 8))
                _ = await other.engine.runOnce()
                let store = try #require(Configuration.shared.current?.store)
                try await store.save(Story.titled("1", 2))
                try await Amplify.DataStore.start()
                var iterator = asked.stream.makeAsyncIterator()
                await iterator.next()
                try await Amplify.DataStore.save(Story.titled("2", 2))
                try await eventually { try await app.served().count >= 2 }
                #expect(try await app.served().first?.stars == 8)
                try await Amplify.DataStore.stop()
                #expect(try await store.query(Story.self, id: "1")?.stars == 2)
            }
        }
    }
}
