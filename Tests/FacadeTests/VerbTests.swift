import Foundation
import TestWaiting
import Testing
import TidelogAmplify

/// All tests of the facade. They run one after the other, because a process can configure only one store.
@Suite("Amplify's calls", .serialized, .timeLimit(.minutes(5)))
enum FacadeTests {}

extension FacadeTests {
    @Suite("Amplify's calls on a local store")
    struct VerbTests {
        private func stories() -> [Story] {
            [
                Story(id: "1", title: "[Draft] Tides", stars: 2, state: .draft),
                Story(id: "2", title: "Ebb", stars: 5, state: .out),
                Story(id: "3", title: "Flood", stars: 9, state: .out),
            ]
        }

        @Test("saved records are found by id and by predicate, sorted and in pages")
        func query() async throws {
            try await App.local { _ in
                for story in stories() {
                    let saved = try await Amplify.DataStore.save(story)
                    #expect(saved == story)
                }
                #expect(try await Amplify.DataStore.query(Story.self, byId: "2")?.title == "Ebb")
                #expect(try await Amplify.DataStore.query(Story.self, byIdentifier: "4") == nil)
                let good = try await Amplify.DataStore.query(
                    Story.self, where: Story.keys.stars.gt(2).and(Story.keys.state.eq(.out)),
                    sort: .descending(Story.keys.stars), paginate: .page(0, limit: 1))
                #expect(good.map(\.id) == ["3"])
                let all = try await Amplify.DataStore.query(Story.self, where: QueryPredicateConstant.all)
                #expect(all.count == 3)
                let others = try await Amplify.DataStore.query(Story.self, where: not(Story.keys.title.beginsWith("E")))
                #expect(others.map(\.id) == ["1", "3"])
                let either = try await Amplify.DataStore.query(
                    Story.self, where: Story.keys.stars == 2 || Story.keys.title.contains("oo"), paginate: .firstPage)
                #expect(either.count == 2)
                let between = try await Amplify.DataStore.query(
                    Story.self, where: Story.keys.stars.between(start: 3, end: 9),
                    sort: .by(.ascending(Story.keys.title)))
                #expect(between.map(\.title) == ["Ebb", "Flood"])
                let missing = try await Amplify.DataStore.query(
                    Story.self, where: Story.keys.publishedAt.attributeExists(true))
                #expect(missing.isEmpty)
            }
        }

        @Test("a save or a deletion whose condition is false is refused, and the record stays unchanged")
        func conditions() async throws {
            try await App.local { _ in
                var story = stories()[0]
                try await Amplify.DataStore.save(story)
                story.title = "Tides"
                try await Amplify.DataStore.save(story, where: Story.keys.title.beginsWith("[Draft]"))
                story.title = "Spring tides"
                do {
                    try await Amplify.DataStore.save(story, where: Story.keys.title.beginsWith("[Draft]"))
                    Issue.record("The condition is false.")
                } catch let error as DataStoreError {
                    #expect(error.code == .conditionFailed)
                }
                await #expect(throws: DataStoreError.self) {
                    try await Amplify.DataStore.delete(story, where: Story.keys.stars.gt(3))
                }
                #expect(try await Amplify.DataStore.query(Story.self, byId: "1")?.title == "Tides")
                try await Amplify.DataStore.delete(Story.self, withId: "1", where: Story.keys.stars.eq(2))
                #expect(try await Amplify.DataStore.query(Story.self, byId: "1") == nil)
            }
        }

        @Test("predicates read texts of dates as instants, and a query refuses other texts")
        func dates() async throws {
            try await App.local { _ in
                for (id, day) in [("1", "2020-10-09"), ("2", "2020-10-10"), ("3", "2020-10-11")] {
                    let reader = Reader(
                        id: id, firstName: "A", lastName: "Doe",
                        createdAt: try Temporal.DateTime("\(day)T00:00:00+00:00"))
                    try await Amplify.DataStore.save(reader)
                }
                let name = Reader.keys.lastName.eq("Doe")
                let later = try await Amplify.DataStore.query(
                    Reader.self, where: name.and(Reader.keys.createdAt.gt("2020-10-10")))
                #expect(later.map(\.id) == ["3"])
                let exact = try await Amplify.DataStore.query(
                    Reader.self, where: Reader.keys.createdAt.between(start: "2020-10-10T00:00:00Z", end: "2020-10-10"))
                #expect(exact.map(\.id) == ["2"])
                let error = await #expect(throws: DataStoreError.self) {
                    try await Amplify.DataStore.query(Reader.self, where: Reader.keys.createdAt.lt("soon"))
                }
                #expect(error?.code == .invalidPredicate)
            }
        }

        @Test("a predicate of another model is refused")
        func otherModel() async throws {
            try await App.local { _ in
                let error = await #expect(throws: DataStoreError.self) {
                    try await Amplify.DataStore.query(Reader.self, where: Story.keys.stars.gt(1))
                }
                #expect(error?.code == .invalidPredicate)
            }
        }

        @Test("observers receive creations, updates and deletions, a deletion with the deleted record")
        func observe() async throws {
            try await App.local { _ in
                var story = stories()[0]
                try await Amplify.DataStore.save(stories()[1])
                let changes = Amplify.DataStore.observe(Story.self)
                try await Amplify.DataStore.save(story)
                story.stars = 4
                try await Amplify.DataStore.save(story)
                try await Amplify.DataStore.delete(story)
                var found: [MutationEvent] = []
                for try await change in changes {
                    found.append(change)
                    if found.count == 3 { changes.cancel() }
                }
                #expect(found.map(\.mutationType) == ["create", "update", "delete"])
                #expect(found.allSatisfy { $0.modelName == "Story" && $0.modelId == "1" && $0.version == nil })
                #expect(try found.map { try $0.decodeModel(as: Story.self).stars } == [2, 4, 4])
                #expect(try found.first?.decodeModel() is Story)
                #expect(throws: DataStoreError.self) { try found.first?.decodeModel(as: Reader.self) }
            }
        }

        @Test("the sequence of an observer becomes a publisher of the same changes")
        func publisher() async throws {
            try await App.local { _ in
                try await Amplify.DataStore.save(stories()[1])
                let types = Shared<[String]>([])
                let subscription = Amplify.Publisher.create(Amplify.DataStore.observe(Story.self)).sink { _ in
                } receiveValue: { change in
                    types.update { $0.append(change.mutationType) }
                }
                try await Amplify.DataStore.save(stories()[0])
                try await Amplify.DataStore.delete(stories()[0])
                try await eventually("both changes are published") { types.value == ["create", "delete"] }
                subscription.cancel()
            }
        }

        @Test("an observer that was cancelled ends, also while it waits")
        func cancel() async throws {
            try await App.local { _ in
                try await Amplify.DataStore.start()
                let changes = Amplify.DataStore.observe(Story.self)
                let reading = Task {
                    var count = 0
                    for try await _ in changes { count += 1 }
                    return count
                }
                try await Amplify.DataStore.save(stories()[0])
                try await Task.sleep(for: .milliseconds(50))
                changes.cancel()
                #expect(try await reading.value <= 1)
                for try await _ in changes { Issue.record("The sequence was cancelled.") }
            }
        }

        @Test("a live query gives its records at once and after each change, also after the store was cleared")
        func observeQuery() async throws {
            try await App.local { _ in
                try await Amplify.DataStore.save(stories()[2])
                let snapshots = Amplify.DataStore.observeQuery(
                    for: Story.self, where: Story.keys.stars > 3, sort: .ascending(Story.keys.stars))
                var iterator = snapshots.makeAsyncIterator()
                #expect(try await iterator.next()?.items.map(\.id) == ["3"])
                try await Amplify.DataStore.save(stories()[1])
                let second = try await iterator.next()
                #expect(second?.items.map(\.id) == ["2", "3"] && second?.isSynced == false)
                try await Amplify.DataStore.clear()
                #expect(try await iterator.next()?.items == [])
                try await Amplify.DataStore.save(stories()[1])
                #expect(try await iterator.next()?.items.map(\.id) == ["2"])
            }
        }

        @Test("calls with a closure pass the result or the error to the closure")
        func closures() async throws {
            try await App.local { _ in
                let story = stories()[0]
                func result<Value: Sendable>(
                    _ call: (@escaping DataStoreCallback<Value>) -> Void
                ) async -> DataStoreResult<Value> {
                    await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
                }
                let saved = await result { done in Amplify.DataStore.save(story) { done($0) } }
                #expect(try saved.get() == story)
                let condition = Story.keys.stars.gt(5)
                let refused = await result { Amplify.DataStore.save(story, where: condition, completion: $0) }
                #expect(throws: DataStoreError.self) { try refused.get() }
                let found = await result { Amplify.DataStore.query(Story.self, byId: "1", completion: $0) }
                #expect(try found.get()?.title == story.title)
                let all = await result { done in Amplify.DataStore.query(Story.self, where: condition) { done($0) } }
                #expect(try all.get().isEmpty)
                let deleted = await result { done in Amplify.DataStore.delete(story) { done($0) } }
                try deleted.get()
                try (await result { Amplify.DataStore.stop(completion: $0) }).get()
                try (await result { Amplify.DataStore.start(completion: $0) }).get()
                try (await result { Amplify.DataStore.clear(completion: $0) }).get()
            }
        }

        @Test("a relation can be followed from a record that was saved and read")
        func relations() async throws {
            try await App.local { _ in
                let story = try await Amplify.DataStore.save(stories()[1])
                try await Amplify.DataStore.save(Remark(text: "Wet", story: story))
                let remark = try #require(try await Amplify.DataStore.query(Remark.self).first)
                #expect(try await remark.story?.title == "Ebb")
                try await Amplify.DataStore.delete(Story.self, where: Story.keys.title.eq("Ebb"))
                #expect(try await Amplify.DataStore.query(Remark.self).isEmpty)
            }
        }
    }
}
