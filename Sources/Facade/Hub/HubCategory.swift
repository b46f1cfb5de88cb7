import Foundation
import TidelogSynchronization

/// Sends events to listeners: the events of the sync engine, and the events that the app dispatches.
public final class HubCategory: Sendable {
    private struct Listener: Sendable {
        let isIncluded: HubFilter?
        let receive: HubListener
    }

    private let listeners = Mutex<[HubChannel: [UUID: Listener]]>([:])

    init() {}

    /// Calls `listener` with each payload of `channel` from now on, on any thread and in order.
    ///
    /// A listener that is added before ``Amplify/configure()`` receives every event of the engine.
    ///
    /// - Parameter isIncluded: Selects the payloads that the listener receives; `nil` for all.
    /// - Returns: A token for ``removeListener(_:)``. The listener stays until it is removed.
    @discardableResult
    public func listen(
        to channel: HubChannel, isIncluded: HubFilter? = nil, listener: @escaping HubListener
    ) -> UnsubscribeToken {
        let token = UnsubscribeToken(channel: channel, id: UUID())
        listeners.withLock { $0[channel, default: [:]][token.id] = Listener(isIncluded: isIncluded, receive: listener) }
        return token
    }

    /// Does the same as ``listen(to:isIncluded:listener:)``, for the payloads with one name.
    @discardableResult
    public func listen(
        to channel: HubChannel, eventName: HubPayloadEventName, listener: @escaping HubListener
    ) -> UnsubscribeToken {
        listen(to: channel, isIncluded: HubFilters.forEventName(eventName), listener: listener)
    }

    /// Removes the listener of `token`. If a call of the listener has begun, the call is completed.
    public func removeListener(_ token: UnsubscribeToken) {
        listeners.withLock { _ = $0[token.channel]?.removeValue(forKey: token.id) }
    }

    /// Calls the listeners of `channel` with `payload`, and returns after all of them have returned.
    public func dispatch(to channel: HubChannel, payload: HubPayload) {
        let found = listeners.withLock { Array(($0[channel] ?? [:]).values) }
        for listener in found where listener.isIncluded?(payload) ?? true { listener.receive(payload) }
    }
}
