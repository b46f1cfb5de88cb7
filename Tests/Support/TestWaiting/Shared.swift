internal import TidelogSynchronization

/// A value that tasks change and a test inspects.
package final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    package func set(_ value: Value) { state.withLock { $0 = value } }

    package func update(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
