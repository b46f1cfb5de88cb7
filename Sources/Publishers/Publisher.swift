#if !canImport(Combine)
    /// Gives values over time to each subscriber. This module has the part of Combine that code for Amplify DataStore needs,
    /// for systems without Combine.
    public protocol Publisher<Output, Failure>: Sendable {
        /// The type of the values.
        associatedtype Output: Sendable
        /// The type of the error that ends the values; `Never` if nothing fails.
        associatedtype Failure: Error

        /// Begins to give values to `subscriber`, until the result is cancelled or released.
        func subscribe(_ subscriber: Subscriber<Output, Failure>) -> AnyCancellable
    }

    /// Takes the values of a publisher, then at most one completion. It is called from any thread, one call after the other.
    public struct Subscriber<Output: Sendable, Failure: Error>: Sendable {
        /// Takes a value.
        public let receiveValue: @Sendable (Output) -> Void
        /// Takes the end.
        public let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

        /// A subscriber of these closures.
        public init(
            receiveValue: @escaping @Sendable (Output) -> Void,
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
        ) {
            (self.receiveValue, self.receiveCompletion) = (receiveValue, receiveCompletion)
        }
    }

    /// Types of subscribers.
    public enum Subscribers {
        /// The end of a publisher's values.
        public enum Completion<Failure: Error>: Sendable {
            /// No more values come.
            case finished
            /// An error ended the values.
            case failure(Failure)
        }
    }

    /// A publisher whose own type is not visible.
    public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let begin: @Sendable (Subscriber<Output, Failure>) -> AnyCancellable

        /// A publisher that begins as `begin` does.
        public init(_ begin: @escaping @Sendable (Subscriber<Output, Failure>) -> AnyCancellable) {
            self.begin = begin
        }

        /// Begins to give values to `subscriber`.
        public func subscribe(_ subscriber: Subscriber<Output, Failure>) -> AnyCancellable { begin(subscriber) }
    }
#endif
