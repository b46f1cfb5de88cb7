#if !canImport(Combine)
    public import Dispatch

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
#endif
