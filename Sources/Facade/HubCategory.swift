import Foundation
import Synchronization

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

/// Receives a payload.
public typealias HubListener = @Sendable (HubPayload) -> Void

/// Selects payloads.
public typealias HubFilter = @Sendable (HubPayload) -> Bool

/// The name of an event, as in ``HubPayload/EventName``.
public typealias HubPayloadEventName = String

/// Common filters for listeners.
public enum HubFilters {
    /// The payloads with this name.
    public static func forEventName(_ eventName: HubPayloadEventName) -> HubFilter { { $0.eventName == eventName } }
}

/// The token of a listener, for ``HubCategory/removeListener(_:)``.
public struct UnsubscribeToken: Sendable, Hashable {
    let channel: HubChannel
    let id: UUID
}

/// A channel of events, for each part of an app that dispatches events.
public enum HubChannel: Sendable, Hashable {
    /// The sync engine.
    case dataStore
    /// The app's sign-in code, which dispatches its events itself.
    case auth
    /// The app's calls of the server's API.
    case api
    /// A part of the app with this name.
    case custom(String)
}

/// An event with its data.
public struct HubPayload: Sendable {
    /// The event's name.
    public let eventName: HubPayloadEventName
    /// A text about the context, if there is one.
    public let context: String?
    /// The values of the event, for example a ``NetworkStatusEvent``.
    public let data: (any Sendable)?

    /// An event with these values.
    public init(eventName: HubPayloadEventName, context: String? = nil, data: (any Sendable)? = nil) {
        (self.eventName, self.context, self.data) = (eventName, context, data)
    }

    /// The names of the events.
    public enum EventName {
        /// The events of the sync engine.
        public enum DataStore {
            /// The data is a ``NetworkStatusEvent``.
            public static let networkStatus = "DataStore.networkStatus"
            /// The event has no data.
            public static let subscriptionsEstablished = "DataStore.subscriptionEstablished"
            /// The data is a ``SyncQueriesStartedEvent``.
            public static let syncQueriesStarted = "DataStore.syncQueriesStarted"
            /// The data is a ``ModelSyncedEvent``.
            public static let modelSynced = "DataStore.modelSynced"
            /// The event has no data.
            public static let syncQueriesReady = "DataStore.syncQueriesReady"
            /// The event has no data.
            public static let syncStarted = "DataStore.syncStarted"
            /// The event has no data.
            public static let ready = "DataStore.ready"
            /// The data is an ``OutboxStatusEvent``.
            public static let outboxStatus = "DataStore.outboxStatus"
            /// The data is an ``OutboxMutationEvent``.
            public static let outboxMutationEnqueued = "DataStore.outboxMutationEnqueued"
            /// The data is an ``OutboxMutationEvent``.
            public static let outboxMutationProcessed = "DataStore.outboxMutationProcessed"
            /// The data is a ``MutationEvent`` with the record that the server has now.
            public static let syncReceived = "DataStore.syncReceived"
            /// The data is a ``MutationEvent`` with the local change that the server refused.
            public static let conditionalSaveFailed = "DataStore.conditionalSaveFailed"
        }

        /// The events that the app's own sign-in code dispatches.
        public enum Auth {
            /// A user signed in.
            public static let signedIn = "Auth.signedIn"
            /// The user signed out.
            public static let signedOut = "Auth.signedOut"
            /// The user's session ended.
            public static let sessionExpired = "Auth.sessionExpired"
        }
    }
}
