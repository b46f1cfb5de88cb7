import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogPublishers

#if canImport(Combine)
    import Combine
#endif

@Suite("Publishers of sequences", .timeLimit(.minutes(5)))
struct SequencePublisherTests {
    @Test("a live query's publisher gives each subscriber every result in order, until the subscription is cancelled")
    func results() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let publisher = store.observe(Note.all).publisher
        let (first, second) = (Shared<[Int]>([]), Shared<[Int]>([]))
        let subscriptions = [first, second].map { seen in
            publisher.sink(
                receiveCompletion: { _ in seen.update { $0.append(-1) } },
                receiveValue: { result in seen.update { $0.append(result.items.count) } })
        }
        for number in 1...10 {
            try await eventually("both see the notes so far") {
                first.value.last == number - 1 && second.value.last == number - 1
            }
            try await store.save(notes(number...number))
        }
        try await eventually("both see the last note") { first.value.last == 10 && second.value.last == 10 }
        subscriptions[0].cancel()
        try await store.save(notes(11...11))
        try await eventually("the other subscriber sees the note") { second.value.last == 11 }
        #expect(first.value == Array(0...10) && second.value == Array(0...11))
        withExtendedLifetime(subscriptions) {}
    }

    @Test("the error of a sequence is the publisher's completion")
    func failure() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let (values, ends) = (Shared(0), Shared<[DataStoreError.Code?]>([]))
        let subscription = store.changes(of: Note.all).publisher.sink(
            receiveCompletion: { end in
                if case .failure(let error) = end { ends.update { $0.append((error as? DataStoreError)?.code) } }
            },
            receiveValue: { _ in values.update { $0 += 1 } })
        try await store.save(notes(1...3))
        try await eventually("the changes arrive") { values.value == 3 }
        try await store.close()
        try await eventually("the end arrives") { !ends.value.isEmpty }
        #expect(ends.value == [.closed])
        withExtendedLifetime(subscription) {}
    }
}
