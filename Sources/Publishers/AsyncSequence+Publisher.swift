#if canImport(Combine)
    public import Combine
#endif

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// A publisher of the elements of this sequence. Each subscriber gets an iterator of its own. A stream of the standard
    /// library serves one subscriber, as it serves one loop.
    ///
    /// ```swift
    /// let subscription = store.observe(Note.all).publisher.sink { _ in } receiveValue: { print($0.items.count) }
    /// ```
    ///
    /// An element is read when the subscriber wants one. The results of a live query are therefore combined while the
    /// subscriber is busy. Cancelling the subscription ends the iteration.
    public var publisher: AnyPublisher<Element, any Error> {
        #if canImport(Combine)
            AnyPublisher(ElementPublisher(base: self))
        #else
            AnyPublisher { subscriber in
                let task = Task {
                    do {
                        for try await element in self { subscriber.receiveValue(element) }
                        if !Task.isCancelled { subscriber.receiveCompletion(.finished) }
                    } catch {
                        if !Task.isCancelled { subscriber.receiveCompletion(.failure(error)) }
                    }
                }
                return AnyCancellable { task.cancel() }
            }
        #endif
    }
}

#if canImport(Combine)
    private struct ElementPublisher<Base: AsyncSequence & Sendable>: Publisher where Base.Element: Sendable {
        typealias Output = Base.Element
        typealias Failure = any Error

        let base: Base

        func receive<Target: Subscriber>(subscriber: Target)
        where Target.Input == Output, Target.Failure == any Error {
            subscriber.receive(subscription: ElementSubscription(base, Receiver(subscriber)))
        }
    }

    /// Passes what a subscriber demands to the task that reads the elements.
    private final class ElementSubscription: Subscription {
        private let demands: AsyncStream<Subscribers.Demand>.Continuation
        private let task: Task<Void, Never>

        init<Base: AsyncSequence & Sendable>(_ base: Base, _ receiver: Receiver<Base.Element>) {
            let (stream, continuation) = AsyncStream.makeStream(of: Subscribers.Demand.self)
            demands = continuation
            task = Task { await receiver.take(base, stream) }
        }

        func request(_ demand: Subscribers.Demand) { demands.yield(demand) }

        func cancel() {
            demands.finish()
            task.cancel()
        }
    }

    /// A subscriber for the task of a subscription. Sound as `@unchecked Sendable` because any thread may call a subscriber,
    /// and only this task calls it after it has received its subscription.
    private struct Receiver<Element>: @unchecked Sendable {
        private let receive: (Element) -> Subscribers.Demand
        private let complete: (Subscribers.Completion<any Error>) -> Void

        init<Target: Subscriber>(_ target: Target) where Target.Input == Element, Target.Failure == any Error {
            receive = { target.receive($0) }
            complete = { target.receive(completion: $0) }
        }

        func take<Base: AsyncSequence>(
            _ base: Base, _ demands: AsyncStream<Subscribers.Demand>
        ) async where Base.Element == Element {
            do {
                var elements = base.makeAsyncIterator()
                for await demand in demands {
                    var wanted = demand
                    while wanted > 0 {
                        let element = try await elements.next()
                        if Task.isCancelled { return }
                        guard let element else { return complete(.finished) }
                        wanted -= 1
                        wanted += receive(element)
                    }
                }
            } catch {
                if !Task.isCancelled { complete(.failure(error)) }
            }
        }
    }
#endif
