import Foundation
import Testing
import TidelogAmplify
import TidelogSynchronization

/// The payloads that a listener received.
private final class Payloads: Sendable {
    private let found = Mutex<[HubPayload]>([])

    var all: [HubPayload] { found.withLock { $0 } }
    func add(_ payload: HubPayload) { found.withLock { $0.append(payload) } }

    /// Waits for a payload with this name.
    func wait(for name: HubPayloadEventName) async throws -> HubPayload {
        while true {
            if let payload = all.first(where: { $0.eventName == name }) { return payload }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until this many payloads were received.
    func wait(count: Int) async throws {
        while all.count < count { try await Task.sleep(for: .milliseconds(5)) }
    }
}

extension FacadeTests {
    @Suite("Amplify's hub")
    struct HubTests {
        typealias Name = HubPayload.EventName.DataStore

        @Test("a listener that was added before configure gets all events of a start, in order")
        func start() async throws {
            try await SyncedApp.serve { app in
                let payloads = Payloads()
                let active = Mutex<[Bool]>([])
                let token = Amplify.Hub.listen(to: .dataStore) { event in
                    payloads.add(event)
                    if event.eventName == HubPayload.EventName.DataStore.networkStatus {
                        guard let networkStatus = event.data as? NetworkStatusEvent else {
                            Issue.record("The payload has another type.")
                            return
                        }
                        active.withLock { $0.append(networkStatus.active) }
                    }
                }
                defer { Amplify.Hub.removeListener(token) }
                try app.configure()
                try await Amplify.DataStore.start()
                _ = try await payloads.wait(for: Name.ready)
                #expect(
                    payloads.all.map(\.eventName) == [
                        Name.networkStatus, Name.outboxStatus, Name.networkStatus, Name.subscriptionsEstablished,
                        Name.syncQueriesStarted,
                    ] + Array(repeating: Name.modelSynced, count: 6) + [
                        Name.syncQueriesReady, Name.syncStarted, Name.ready,
                    ])
                #expect(active.withLock { $0 } == [false, true])
                let started = payloads.all.compactMap { $0.data as? SyncQueriesStartedEvent }
                #expect(started.first.map { Set($0.models) } == Set(AmplifyModels().models.map { $0.schema.name }))
                let synced = payloads.all.compactMap { $0.data as? ModelSyncedEvent }
                #expect(synced.count == 6 && synced.allSatisfy { $0.isFullSync && !$0.isDeltaSync && $0.added == 0 })
            }
        }

        @Test("an enqueued change is reported without a version, and a processed change with the server's version")
        func mutation() async throws {
            try await SyncedApp.serve { app in
                let payloads = Payloads()
                let token = Amplify.Hub.listen(to: .dataStore) { payloads.add($0) }
                defer { Amplify.Hub.removeListener(token) }
                try app.configure()
                try await Amplify.DataStore.start()
                _ = try await payloads.wait(for: Name.ready)
                let story = try await Amplify.DataStore.save(Story(title: "Tides", stars: 1, state: .out))
                let processed = try await payloads.wait(for: Name.outboxMutationProcessed).data as? OutboxMutationEvent
                let enqueued = try await payloads.wait(for: Name.outboxMutationEnqueued).data as? OutboxMutationEvent
                #expect(enqueued?.modelName == "Story" && (enqueued?.element.model as? Story)?.id == story.id)
                #expect(enqueued?.element.version == nil && enqueued?.element.deleted == nil)
                #expect(processed?.element.version == 1 && processed?.element.deleted == false)
                #expect(processed?.element.lastChangedAt ?? 0 > 0)
                #expect((processed?.element.model as? Story)?.title == "Tides")
            }
        }

        @Test(
            "a save whose condition is false on the server is reported by the hub, and the server's record replaces it")
        func condition() async throws {
            try await SyncedApp.serve { app in
                let payloads = Payloads()
                let token = Amplify.Hub.listen(to: .dataStore, eventName: Name.conditionalSaveFailed) {
                    payloads.add($0)
                }
                defer { Amplify.Hub.removeListener(token) }
                try await app.give([Story(id: "1", title: "[Draft] Tides", stars: 1, state: .draft)])
                try app.configure(.custom(errorHandler: { _ in }))
                try await app.waitForStories(["1"])
                try await Amplify.DataStore.stop()
                let other = try await app.otherDevice()
                _ = await other.engine.runOnce()
                var theirs = try #require(try await other.store.query(Story.self, id: "1"))
                theirs.title = "Tides"
                try await other.store.save(theirs)
                _ = await other.engine.runOnce()
                var mine = try #require(try await other.store.query(Story.self, id: "1"))
                mine.title = "[Draft] Spring tides"
                mine.stars = 5
                // The condition is true for the record on the device, and false for the record on the server.
                try await Amplify.DataStore.save(mine, where: Story.keys.title.beginsWith("[Draft]"))
                let failed = try await payloads.wait(for: Name.conditionalSaveFailed).data as? MutationEvent
                #expect(failed?.modelName == "Story" && failed?.modelId == "1")
                #expect(failed?.mutationType == MutationEvent.MutationType.update.rawValue && failed?.version == 2)
                let refused = try failed?.decodeModel(as: Story.self)
                #expect(refused?.title == "[Draft] Spring tides" && refused?.stars == 5)
                for try await snapshot in Amplify.DataStore.observeQuery(for: Story.self)
                where snapshot.items.first?.title == "Tides" { break }
            }
        }

        @Test("records that another device creates, changes and deletes are reported as mutation events")
        func received() async throws {
            try await SyncedApp.serve { app in
                let payloads = Payloads()
                let token = Amplify.Hub.listen(to: .dataStore, eventName: Name.syncReceived) { payloads.add($0) }
                defer { Amplify.Hub.removeListener(token) }
                try app.configure()
                try await Amplify.DataStore.start()
                try await app.waitForStories([])
                let other = try await app.otherDevice()
                var story = Story.titled("1", 1)
                for step in 1...3 {
                    if step == 3 { try await other.store.delete(story) } else { try await other.store.save(story) }
                    let report = await other.engine.runOnce()
                    #expect(report.failure == nil)
                    try await payloads.wait(count: step)
                    story.stars += 1
                }
                let events = payloads.all.compactMap { $0.data as? MutationEvent }
                #expect(events.map(\.mutationType) == ["create", "update", "delete"])
                #expect(events.map(\.version) == [1, 2, 3] && events.allSatisfy { $0.modelId == "1" })
                #expect(try events.map { try $0.decodeModel(as: Story.self).stars } == [1, 2, 2])
            }
        }

        @Test("the data of each event has the type that code for Amplify casts to")
        func types() async throws {
            try await SyncedApp.serve { app in
                let payloads = Payloads()
                let token = Amplify.Hub.listen(to: .dataStore) { payloads.add($0) }
                defer { Amplify.Hub.removeListener(token) }
                try await app.give([Story.titled("1", 1)])
                try app.configure(.custom(errorHandler: { _ in }))
                try await Amplify.DataStore.start()
                _ = try await payloads.wait(for: Name.ready)
                try await app.give([Story.titled("2", 2)])
                _ = try await payloads.wait(for: Name.syncReceived)
                var mine = try #require(try await Amplify.DataStore.query(Story.self, byId: "1"))
                mine.stars = 5
                try await Amplify.DataStore.save(mine)
                _ = try await payloads.wait(for: Name.outboxMutationProcessed)
                try await Amplify.DataStore.stop()
                let other = try await app.otherDevice()
                _ = await other.engine.runOnce()
                var theirs = try #require(try await other.store.query(Story.self, id: "1"))
                theirs.stars = 7
                try await other.store.save(theirs)
                _ = await other.engine.runOnce()
                mine.stars = 6
                try await Amplify.DataStore.save(mine, where: Story.keys.stars == 5)
                _ = try await payloads.wait(for: Name.conditionalSaveFailed)

                let casts: [HubPayloadEventName: (HubPayload) -> Bool] = [
                    Name.networkStatus: { $0.data is NetworkStatusEvent },
                    Name.subscriptionsEstablished: { $0.data == nil },
                    Name.syncQueriesStarted: { ($0.data as? SyncQueriesStartedEvent)?.models.count == 6 },
                    Name.modelSynced: { ($0.data as? ModelSyncedEvent)?.modelName.isEmpty == false },
                    Name.syncQueriesReady: { $0.data == nil },
                    Name.syncStarted: { $0.data == nil },
                    Name.ready: { $0.data == nil },
                    Name.outboxStatus: { $0.data is OutboxStatusEvent },
                    Name.outboxMutationEnqueued: { ($0.data as? OutboxMutationEvent)?.modelName == "Story" },
                    Name.outboxMutationProcessed: { ($0.data as? OutboxMutationEvent)?.modelName == "Story" },
                    Name.syncReceived: { ($0.data as? MutationEvent)?.modelName == "Story" },
                    Name.conditionalSaveFailed: { ($0.data as? MutationEvent)?.modelName == "Story" },
                ]
                #expect(Set(payloads.all.map(\.eventName)) == Set(casts.keys))
                for payload in payloads.all {
                    let isRight = casts[payload.eventName]?(payload)
                    #expect(isRight == true, "\(payload.eventName) has a \(type(of: payload.data))")
                }
            }
        }

        @Test("an app can clear the device when its user signs out, and the server keeps its records")
        func signedOut() async throws {
            try await SyncedApp.serve { app in
                try await app.give([Story(id: "1", title: "Tides", stars: 1, state: .out)])
                try app.configure()
                try await app.waitForStories(["1"])
                let (cleared, continuation) = AsyncStream<Void>.makeStream()
                let isSignedOut = HubFilters.forEventName(HubPayload.EventName.Auth.signedOut)
                let token = Amplify.Hub.listen(to: .auth, isIncluded: isSignedOut) { payload in
                    Task {
                        do {
                            try await Amplify.DataStore.clear()
                            continuation.yield()
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
                defer { Amplify.Hub.removeListener(token) }
                Amplify.Hub.dispatch(to: .auth, payload: HubPayload(eventName: HubPayload.EventName.Auth.signedIn))
                Amplify.Hub.dispatch(
                    to: .dataStore, payload: HubPayload(eventName: HubPayload.EventName.Auth.signedOut))
                #expect(try await Amplify.DataStore.query(Story.self).count == 1)
                Amplify.Hub.dispatch(to: .auth, payload: HubPayload(eventName: HubPayload.EventName.Auth.signedOut))
                for await _ in cleared { break }
                #expect(try await app.served().map(\.id) == ["1"])
            }
        }

        @Test("a removed listener is not called, and a listener gets only the events of its channel")
        func listeners() {
            let payloads = Payloads()
            let token = Amplify.Hub.listen(to: .custom("a")) { payloads.add($0) }
            Amplify.Hub.dispatch(to: .custom("a"), payload: HubPayload(eventName: "1", context: "c", data: 7))
            Amplify.Hub.dispatch(to: .custom("b"), payload: HubPayload(eventName: "2"))
            Amplify.Hub.removeListener(token)
            Amplify.Hub.dispatch(to: .custom("a"), payload: HubPayload(eventName: "3"))
            #expect(payloads.all.map(\.eventName) == ["1"])
            #expect(payloads.all.first?.context == "c" && payloads.all.first?.data as? Int == 7)
        }
    }
}
