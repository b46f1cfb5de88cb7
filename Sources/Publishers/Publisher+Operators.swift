#if !canImport(Combine)
    public import Dispatch
    import TidelogSynchronization

    extension Publisher {
        /// The same publisher, with its type erased.
        public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher { subscribe($0) } }

        /// Publishes the values that `transform` makes from the values of this publisher.
        public func map<Result: Sendable>(
            _ transform: @escaping @Sendable (Output) -> Result
        ) -> AnyPublisher<Result, Failure> {
            AnyPublisher { subscriber in
                subscribe(
                    Subscriber(
                        receiveValue: { subscriber.receiveValue(transform($0)) },
                        receiveCompletion: subscriber.receiveCompletion))
            }
        }

        /// Publishes only the values that fulfil `isIncluded`.
        public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> AnyPublisher<Output, Failure> {
            AnyPublisher { subscriber in
                subscribe(
                    Subscriber(
                        receiveValue: { if isIncluded($0) { subscriber.receiveValue($0) } },
                        receiveCompletion: subscriber.receiveCompletion))
            }
        }

        /// Publishes the same values on `queue`.
        public func receive(on queue: DispatchQueue) -> AnyPublisher<Output, Failure> {
            AnyPublisher { subscriber in
                subscribe(
                    Subscriber(
                        receiveValue: { value in queue.async { subscriber.receiveValue(value) } },
                        receiveCompletion: { end in queue.async { subscriber.receiveCompletion(end) } }))
            }
        }

        /// Calls the closures with the values and the completion, until the result is cancelled or released.
        public func sink(
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (Output) -> Void
        ) -> AnyCancellable {
            let gate = Gate()
            let upstream = subscribe(
                Subscriber(
                    receiveValue: { value in if gate.isOpen { receiveValue(value) } },
                    receiveCompletion: { end in if gate.close() { receiveCompletion(end) } }))
            return AnyCancellable {
                _ = gate.close()
                upstream.cancel()
            }
        }
    }

    extension Publisher where Failure == Never {
        /// Calls `receiveValue` with the values, until the result is cancelled or released.
        public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
            sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
        }

        /// Changes the type of the error, for operators that need a publisher with this type.
        public func setFailureType<Error: Swift.Error>(to _: Error.Type) -> AnyPublisher<Output, Error> {
            AnyPublisher { subscriber in
                subscribe(
                    Subscriber(
                        receiveValue: subscriber.receiveValue,
                        receiveCompletion: { _ in subscriber.receiveCompletion(.finished) }))
            }
        }
    }

    // MARK: - Joining publishers

    extension Publisher {
        /// Makes a publisher from each value with `transform`, and publishes the values of all these publishers. It ends when
        /// all of them have ended, or with the first error.
        public func flatMap<Inner: Publisher>(
            _ transform: @escaping @Sendable (Output) -> Inner
        ) -> AnyPublisher<Inner.Output, Failure> where Inner.Failure == Failure {
            AnyPublisher { subscriber in
                let join = Join(subscriber)
                let upstream = subscribe(
                    Subscriber(
                        receiveValue: { join.add(transform($0)) }, receiveCompletion: { join.end($0, of: nil) }))
                return AnyCancellable {
                    upstream.cancel()
                    join.cancel()
                }
            }
        }
    }

    /// The subscriptions of one subscriber to several publishers.
    private final class Join<Output: Sendable, Failure: Error>: Sendable {
        private struct State {
            var number = 0
            /// The publishers that have not ended, except the first one.
            var running: Set<Int> = []
            var inner: [Int: AnyCancellable] = [:]
            var hasUpstreamEnded = false
        }

        private let state = Mutex(State())
        private let gate = Gate()
        private let subscriber: Subscriber<Output, Failure>

        init(_ subscriber: Subscriber<Output, Failure>) { self.subscriber = subscriber }

        func add<Inner: Publisher>(_ publisher: Inner) where Inner.Output == Output, Inner.Failure == Failure {
            let number = state.withLock { state in
                state.number += 1
                state.running.insert(state.number)
                return state.number
            }
            let subscription = publisher.subscribe(
                Subscriber(
                    receiveValue: { if self.gate.isOpen { self.subscriber.receiveValue($0) } },
                    receiveCompletion: { self.end($0, of: number) }))
            // The publisher may have ended already.
            state.withLock { state in
                if state.running.contains(number) { state.inner[number] = subscription }
            }
        }

        /// - Parameter number: The number of the publisher that ended; `nil` for the first one, whose values `transform` takes.
        func end(_ completion: Subscribers.Completion<Failure>, of number: Int?) {
            if case .failure = completion {
                if gate.close() { subscriber.receiveCompletion(completion) }
                return cancel()
            }
            let (isOver, ended) = state.withLock { state in
                if let number { state.running.remove(number) } else { state.hasUpstreamEnded = true }
                let ended = number.flatMap { state.inner.removeValue(forKey: $0) }
                return (state.hasUpstreamEnded && state.running.isEmpty, ended)
            }
            // The subscription is released outside of the lock, because its release calls code of the publisher.
            _ = ended
            if isOver, gate.close() { subscriber.receiveCompletion(.finished) }
        }

        func cancel() {
            _ = gate.close()
            let subscriptions = state.withLock { state in
                let found = Array(state.inner.values)
                state.inner = [:]
                state.running = []
                return found
            }
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    /// A gate that is open until it is closed.
    private final class Gate: Sendable {
        private let state = Mutex(true)

        var isOpen: Bool { state.withLock { $0 } }

        /// Closes the gate, and returns whether it was open.
        func close() -> Bool {
            state.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }
    }
#endif
