#if !canImport(Combine)
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
#endif
