import Dispatch
import Foundation
import Testing
import TidelogAmplify
import TidelogSynchronization

/// The values and the completion that a subscriber received.
private final class Received<Value: Sendable>: Sendable {
    private let state = Mutex<(values: [Value], end: String?)>(([], nil))

    var values: [Value] { state.withLock { $0.values } }
    var end: String? { state.withLock { $0.end } }
    func add(_ value: Value) { state.withLock { $0.values.append(value) } }
    func end<Failure: Error>(_ completion: Subscribers.Completion<Failure>) {
        let text =
            switch completion {
            case .finished: "finished"
            case .failure(let error): "\(error)"
            }
        state.withLock { $0.end = ($0.end ?? "") + text }
    }

    /// Waits for the completion.
    func wait() async throws -> String {
        while true {
            if let end { return end }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

private enum Failed: Error { case once }

/// A future that gives the value, or an error if the value is negative.
private func later(_ value: Int) -> Future<Int, Failed> {
    Future { promise in
        Task {
            try await Task.sleep(for: .milliseconds(5))
            promise(value < 0 ? .failure(.once) : .success(value))
        }
    }
}

@Suite("Publishers for systems without Combine", .timeLimit(.minutes(5)))
struct PublisherTests {
    @Test("a future runs its closure once and gives its first result to each subscriber, early or late")
    func future() async throws {
        let count = Mutex(0)
        let promise = Mutex<Future<Int, Failed>.Promise?>(nil)
        let future = Future<Int, Failed> { given in
            count.withLock { $0 += 1 }
            promise.withLock { $0 = given }
        }
        let (early, late) = (Received<Int>(), Received<Int>())
        let first = future.sink(receiveCompletion: { early.end($0) }, receiveValue: { early.add($0) })
        #expect(early.values.isEmpty)
        promise.withLock { $0 }?(.success(1))
        promise.withLock { $0 }?(.failure(.once))
        let second = future.sink(receiveCompletion: { late.end($0) }, receiveValue: { late.add($0) })
        #expect(early.values == [1] && late.values == [1])
        #expect(early.end == "finished" && late.end == "finished")
        #expect(count.withLock { $0 } == 1)
        #expect(first != second)
    }

    @Test("a subscription that was cancelled or released gets nothing more")
    func cancel() {
        let promise = Mutex<Future<Int, Failed>.Promise?>(nil)
        let future = Future<Int, Failed> { given in promise.withLock { $0 = given } }
        let (cancelled, released, kept) = (Received<Int>(), Received<Int>(), Received<Int>())
        let first = future.sink(receiveCompletion: { cancelled.end($0) }, receiveValue: { cancelled.add($0) })
        first.cancel()
        first.cancel()
        _ = future.sink(receiveCompletion: { released.end($0) }, receiveValue: { released.add($0) })
        let third = future.sink(receiveCompletion: { kept.end($0) }, receiveValue: { kept.add($0) })
        promise.withLock { $0 }?(.success(1))
        #expect(cancelled.values.isEmpty && cancelled.end == nil)
        #expect(released.values.isEmpty && released.end == nil)
        #expect(kept.values == [1])
        third.cancel()
    }

    @Test("publishers map, filter and flat-map values, and the first error completes them once")
    func operators() async throws {
        let sum = Received<String>()
        let subscription = later(1)
            .map { $0 + 1 }
            .filter { $0 > 1 }
            .flatMap { later($0 * 10) }
            .map { "\($0)" }
            .receive(on: DispatchQueue.main)
            .eraseToAnyPublisher()
            .sink(receiveCompletion: { sum.end($0) }, receiveValue: { sum.add($0) })
        #expect(try await sum.wait() == "finished")
        #expect(sum.values == ["20"])
        let none = Received<Int>()
        let filtered = later(1).filter { $0 > 1 }.sink(
            receiveCompletion: { none.end($0) }, receiveValue: { none.add($0) })
        #expect(try await none.wait() == "finished")
        #expect(none.values.isEmpty)
        let failed = Received<Int>()
        let broken = later(1).flatMap { _ in later(-1) }.flatMap { later($0) }
            .sink(receiveCompletion: { failed.end($0) }, receiveValue: { failed.add($0) })
        #expect(try await failed.wait() == "once")
        #expect(failed.values.isEmpty)
        withExtendedLifetime((subscription, filtered, broken)) {}
    }

    @Test("flatMap finishes if its inner publisher already has its value")
    func readyInner() async throws {
        let ready = Future<Int, Failed> { $0(.success(7)) }
        let received = Received<Int>()
        let subscription = ready.flatMap { value in Future<Int, Failed> { $0(.success(value + 1)) } }
            .sink(receiveCompletion: { received.end($0) }, receiveValue: { received.add($0) })
        #expect(received.values == [8] && received.end == "finished")
        subscription.cancel()
    }

    @Test("an async call becomes a publisher, and cancelling the subscription cancels the call")
    func create() async throws {
        let (done, failed) = (Received<Int>(), Received<Int>())
        let first = Amplify.Publisher.create { 7 }.sink {
            done.end($0)
        } receiveValue: {
            done.add($0)
        }
        #expect(try await done.wait() == "finished")
        #expect(done.values == [7])
        let second = Amplify.Publisher.create { () async throws -> Int in throw Failed.once }
            .sink {
                failed.end($0)
            } receiveValue: {
                failed.add($0)
            }
        #expect(try await failed.wait() == "once")
        let (cancelled, continuation) = AsyncStream<Bool>.makeStream()
        let third = Amplify.Publisher.create {
            try? await Task.sleep(for: .seconds(60))
            continuation.yield(Task.isCancelled)
        }.sink { _ in
        } receiveValue: { _ in
            Issue.record("The call was cancelled.")
        }
        third.cancel()
        for await isCancelled in cancelled {
            #expect(isCancelled)
            break
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test("the hub publishes its events, with and without a failure type")
    func hub() async throws {
        let (names, others) = (Received<String>(), Received<String>())
        let isWanted = HubFilters.forEventName("wanted")
        let first = Amplify.Hub.publisher(for: .custom("hub")).sink { names.add($0.eventName) }
        let second = Amplify.Hub.publisher(for: .custom("hub"))
            .setFailureType(to: DataStoreError.self)
            .filter { isWanted($0) }
            .sink { _ in
            } receiveValue: {
                others.add($0.eventName)
            }
        for name in ["other", "wanted"] {
            Amplify.Hub.dispatch(to: .custom("hub"), payload: HubPayload(eventName: name))
        }
        first.cancel()
        Amplify.Hub.dispatch(to: .custom("hub"), payload: HubPayload(eventName: "late"))
        second.cancel()
        #expect(names.values == ["other", "wanted"])
        #expect(others.values == ["wanted"])
    }
}
