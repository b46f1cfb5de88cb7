internal import Synchronization

/// A value that a service changes and a test inspects.
package final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    package func set(_ value: Value) { state.withLock { $0 = value } }

    package func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }

    /// Waits until the value fulfils `condition`. Returns whether it does so in time.
    package func comes(within seconds: Double = 60, _ condition: (Value) -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !condition(value) {
            if ContinuousClock.now >= end { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}
