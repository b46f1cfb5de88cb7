#if !canImport(Combine)
    import Synchronization

    /// A publisher of one value, which comes later. Its closure runs once, at once, however many subscribers there are.
    public final class Future<Output: Sendable, Failure: Error>: Publisher {
        /// Takes the value or the error. The first call counts.
        public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

        private struct State {
            var result: Result<Output, Failure>?
            var number = 0
            var subscribers: [Int: Subscriber<Output, Failure>] = [:]
        }

        private let state = Mutex(State())

        /// A future that `attemptToFulfill` fulfils.
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

        /// Gives the value to `subscriber`, now if it is there.
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
        /// Takes the value and the end, or the error.
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
