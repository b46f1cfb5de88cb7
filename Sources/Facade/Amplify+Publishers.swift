#if canImport(Combine)
    public import Combine
    internal import TidelogPublishers
#else
    public import TidelogPublishers
#endif

extension Amplify {
    /// Makes publishers from calls.
    public enum Publisher {
        /// Makes a publisher of the value of `operation`, which runs for each subscriber. Cancelling the subscription cancels
        /// the call.
        public static func create<Success: Sendable>(
            _ operation: @escaping @Sendable () async throws -> Success
        ) -> AnyPublisher<Success, any Error> {
            AnyPublisher<Success, any Error>.later { complete in
                let task = Task {
                    do { complete(.success(try await operation())) } catch { complete(.failure(error)) }
                }
                return AnyCancellable { task.cancel() }
            }
        }

        /// Makes a publisher of the elements of `sequence`: `Amplify.Publisher.create(Amplify.DataStore.observe(Post.self))`.
        public static func create<Base: AsyncSequence & Sendable>(
            _ sequence: Base
        ) -> AnyPublisher<Base.Element, any Error> where Base.Element: Sendable { sequence.publisher }
    }
}

extension HubCategory {
    /// A publisher of the payloads of `channel`. Each subscriber receives the payloads from its subscription on.
    public func publisher(for channel: HubChannel) -> AnyPublisher<HubPayload, Never> {
        AnyPublisher<HubPayload, Never>.endless { receive in
            let token = self.listen(to: channel, listener: receive)
            return AnyCancellable { self.removeListener(token) }
        }
    }
}

#if canImport(Combine)
    /// A subject for several threads. Sound as `@unchecked Sendable` because any thread may send values to a subject.
    private struct Target<Output, Failure: Error>: @unchecked Sendable {
        let subject: PassthroughSubject<Output, Failure>
    }

    extension AnyPublisher {
        /// - Parameter begin: Begins the work for a subscriber, and returns an object that cancels the work.
        fileprivate static func later(
            _ begin: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> AnyCancellable
        ) -> AnyPublisher where Output: Sendable {
            Deferred {
                let subject = PassthroughSubject<Output, Failure>()
                let target = Target(subject: subject)
                var work: AnyCancellable?
                return subject.handleEvents(
                    receiveCancel: { work?.cancel() },
                    receiveRequest: { _ in
                        guard work == nil else { return }
                        work = begin { result in
                            switch result {
                            case .success(let value):
                                target.subject.send(value)
                                target.subject.send(completion: .finished)
                            case .failure(let error): target.subject.send(completion: .failure(error))
                            }
                        }
                    })
            }.eraseToAnyPublisher()
        }

        /// - Parameter begin: Begins to send values to a subscriber, and returns an object that stops this.
        fileprivate static func endless(
            _ begin: @escaping (@escaping @Sendable (Output) -> Void) -> AnyCancellable
        ) -> AnyPublisher where Output: Sendable {
            Deferred {
                let subject = PassthroughSubject<Output, Failure>()
                let target = Target(subject: subject)
                let work = begin { target.subject.send($0) }
                return subject.handleEvents(receiveCancel: { work.cancel() })
            }.eraseToAnyPublisher()
        }
    }
#else
    extension AnyPublisher {
        /// - Parameter begin: Begins the work for a subscriber, and returns an object that cancels the work.
        fileprivate static func later(
            _ begin: @escaping @Sendable (@escaping @Sendable (Result<Output, Failure>) -> Void) -> AnyCancellable
        ) -> AnyPublisher {
            AnyPublisher { subscriber in
                begin { result in
                    switch result {
                    case .success(let value):
                        subscriber.receiveValue(value)
                        subscriber.receiveCompletion(.finished)
                    case .failure(let error): subscriber.receiveCompletion(.failure(error))
                    }
                }
            }
        }

        /// - Parameter begin: Begins to send values to a subscriber, and returns an object that stops this.
        fileprivate static func endless(
            _ begin: @escaping @Sendable (@escaping @Sendable (Output) -> Void) -> AnyCancellable
        ) -> AnyPublisher {
            AnyPublisher { subscriber in begin { subscriber.receiveValue($0) } }
        }
    }
#endif
