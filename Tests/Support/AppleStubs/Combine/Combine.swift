// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Combine that this package uses, as declarations with the signatures of Apple's SDK. Only tests compile this
// file. They type-check code against it on systems without Combine, and nothing runs it.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input
}

extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { preconditionFailure("nothing runs this") }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public init<Base: Publisher>(_ base: Base) where Output == Base.Output, Failure == Base.Failure {}
    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input {}
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable { func cancel() }

public final class AnyCancellable: Cancellable, Hashable {
    public init(_ cancel: @escaping () -> Void) {}
    public func cancel() {}
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) {}
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
    public init() {}
    public func send(_ input: Output) {}
    public func send(completion: Subscribers.Completion<Failure>) {}
    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input {}
}

public struct Deferred<Deferred: Publisher>: Publisher {
    public typealias Output = Deferred.Output
    public typealias Failure = Deferred.Failure
    public init(createPublisher: @escaping () -> Deferred) {}
    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input {}
}

public enum Publishers {
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input {}
    }
}

extension Publisher {
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> { preconditionFailure("nothing runs this") }
}

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}

public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier() }
}

public struct CombineIdentifier: Hashable {
    public init() {}
}

public enum Subscribers {
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }

    public struct Demand: Equatable, Sendable {
        public static let unlimited = Demand()
        public static let none = Demand()
        public static func += (left: inout Demand, right: Demand) {}
        public static func -= (left: inout Demand, right: Int) {}
        public static func > (left: Demand, right: Int) -> Bool { false }
    }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
