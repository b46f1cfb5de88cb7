internal import Synchronization

/// Something that a service leaves for a test to look at.
package final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    package func set(_ value: Value) { state.withLock { $0 = value } }

    package func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }

    /// Whether the value comes to fulfil `condition`.
    package func comes(within seconds: Double = 60, _ condition: (Value) -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !condition(value) {
            if ContinuousClock.now >= end { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}
