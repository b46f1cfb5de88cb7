#if !canImport(Combine)
    import TidelogSynchronization

    /// Publishes values over time to each subscriber. For systems without Combine, this module provides the part of Combine
    /// that code for Amplify DataStore needs.
    public protocol Publisher<Output, Failure>: Sendable {
        /// The type of the values.
        associatedtype Output: Sendable
        /// The type of the error that ends the values; `Never` if the publisher cannot fail.
        associatedtype Failure: Error

        /// Begins to deliver values to `subscriber`, until the result is cancelled or released.
        func subscribe(_ subscriber: Subscriber<Output, Failure>) -> AnyCancellable
    }

    /// Receives the values of a publisher, and then at most one completion. Calls may come on any thread, but only one at a
    /// time.
    public struct Subscriber<Output: Sendable, Failure: Error>: Sendable {
        /// Receives a value.
        public let receiveValue: @Sendable (Output) -> Void
        /// Receives the completion.
        public let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

        /// Makes a subscriber from two closures.
        public init(
            receiveValue: @escaping @Sendable (Output) -> Void,
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
        ) {
            self.receiveValue = receiveValue
            self.receiveCompletion = receiveCompletion
        }
    }

    /// The types that subscribers use.
    public enum Subscribers {
        /// The end of a publisher's values.
        public enum Completion<Failure: Error>: Sendable {
            /// The publisher has ended without an error.
            case finished
            /// An error ended the values.
            case failure(Failure)
        }
    }

    /// A publisher with an erased type.
    public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let begin: @Sendable (Subscriber<Output, Failure>) -> AnyCancellable

        /// Makes a publisher whose subscriptions are begun by `begin`.
        public init(_ begin: @escaping @Sendable (Subscriber<Output, Failure>) -> AnyCancellable) {
            self.begin = begin
        }

        /// Begins to deliver values to `subscriber`.
        public func subscribe(_ subscriber: Subscriber<Output, Failure>) -> AnyCancellable { begin(subscriber) }
    }

    /// Ends a subscription when it is cancelled or when the last reference to it is dropped.
    public final class AnyCancellable: Sendable, Hashable {
        private let action: Mutex<(@Sendable () -> Void)?>

        /// Makes a subscription that `cancel` ends.
        public init(_ cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

        deinit { cancel() }

        /// Ends the subscription. After this call no value is delivered, except a value whose delivery has already begun.
        public func cancel() {
            let action = action.withLock { action in
                let found = action
                action = nil
                return found
            }
            action?()
        }

        /// Whether both are the same subscription.
        public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

        /// Hashes the identity of the subscription.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// A publisher of one value that is available later. Its closure runs immediately and only once, for any number of
    /// subscribers.
    public final class Future<Output: Sendable, Failure: Error>: Publisher {
        /// Receives the value or the error. Only the first call counts.
        public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

        private struct State {
            var result: Result<Output, Failure>?
            var number = 0
            var subscribers: [Int: Subscriber<Output, Failure>] = [:]
        }

        private let state = Mutex(State())

        /// Makes a future that `attemptToFulfill` fulfils.
        public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
            attemptToFulfill { self.fulfil($0) }
        }

        private func fulfil(_ result: Result<Output, Failure>) {
            let subscribers: [Subscriber<Output, Failure>] = state.withLock { state in
                guard state.result == nil else { return [] }
                state.result = result
                let found = state.subscribers.sorted { $0.key < $1.key }.map(\.value)
                state.subscribers = [:]
                return found
            }
            for subscriber in subscribers { subscriber.receive(result) }
        }

        /// Delivers the value to `subscriber`. If the value is available, this happens immediately.
        public func subscribe(_ subscriber: Subscriber<Output, Failure>) -> AnyCancellable {
            let (result, number) = state.withLock { state in
                if state.result == nil {
                    state.number += 1
                    state.subscribers[state.number] = subscriber
                }
                return (state.result, state.number)
            }
            if let result { subscriber.receive(result) }
            return AnyCancellable { self.state.withLock { _ = $0.subscribers.removeValue(forKey: number) } }
        }
    }

    extension Subscriber {
        /// Receives the result: a value and the end, or an error.
        fileprivate func receive(_ result: Result<Output, Failure>) {
            switch result {
            case .success(let value):
                receiveValue(value)
                receiveCompletion(.finished)
            case .failure(let error): receiveCompletion(.failure(error))
            }
        }
    }
#endif
