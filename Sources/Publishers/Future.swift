#if !canImport(Combine)
    import TidelogSynchronization

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
