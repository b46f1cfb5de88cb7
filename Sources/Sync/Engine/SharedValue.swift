internal import TidelogSynchronization

/// A value that all copies of a store share; `nil` if there is none.
final class SharedValue<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    var value: Value? { stored.withLock { $0 } }

    func set(_ value: Value?) { stored.withLock { $0 = value } }

    /// Returns the value, and forgets it.
    func take() -> Value? {
        stored.withLock { stored in
            defer { stored = nil }
            return stored
        }
    }
}
