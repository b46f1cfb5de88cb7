import Foundation
import Synchronization

/// Tells its listeners what happens in the app: in the sync engine, and what the app itself dispatches.
public final class HubCategory: Sendable {
    private struct Listener: Sendable {
        let isIncluded: HubFilter?
        let receive: HubListener
    }

    private let listeners = Mutex<[HubChannel: [UUID: Listener]]>([:])

    init() {}

    /// Calls `listener` with each payload of `channel` from now on, from any thread and in order.
    ///
    /// A listener that was set before ``Amplify/configure()`` gets every event of the engine.
    ///
    /// - Parameter isIncluded: Which payloads the listener gets; `nil` for all.
    /// - Returns: a token for ``removeListener(_:)``. The listener stays until it is removed.
    @discardableResult
    public func listen(
        to channel: HubChannel, isIncluded: HubFilter? = nil, listener: @escaping HubListener
    ) -> UnsubscribeToken {
        let token = UnsubscribeToken(channel: channel, id: UUID())
        listeners.withLock { $0[channel, default: [:]][token.id] = Listener(isIncluded: isIncluded, receive: listener) }
        return token
    }

    /// As ``listen(to:isIncluded:listener:)``, with the payloads of one name.
    @discardableResult
    public func listen(
        to channel: HubChannel, eventName: HubPayloadEventName, listener: @escaping HubListener
    ) -> UnsubscribeToken {
        listen(to: channel, isIncluded: HubFilters.forEventName(eventName), listener: listener)
    }

    /// Removes the listener of `token`. A call of it that has begun ends as usual.
    public func removeListener(_ token: UnsubscribeToken) {
        listeners.withLock { _ = $0[token.channel]?.removeValue(forKey: token.id) }
    }

    /// Calls the listeners of `channel` with `payload`, and returns when they have returned.
    public func dispatch(to channel: HubChannel, payload: HubPayload) {
        let found = listeners.withLock { Array(($0[channel] ?? [:]).values) }
        for listener in found where listener.isIncluded?(payload) ?? true { listener.receive(payload) }
    }
}

/// Takes a payload.
public typealias HubListener = @Sendable (HubPayload) -> Void

/// Chooses payloads.
public typealias HubFilter = @Sendable (HubPayload) -> Bool

/// The name of an event, as in ``HubPayload/EventName``.
public typealias HubPayloadEventName = String

/// Filters that many listeners need.
public enum HubFilters {
    /// The payloads with this name.
    public static func forEventName(_ eventName: HubPayloadEventName) -> HubFilter { { $0.eventName == eventName } }
}

/// A listener, for ``HubCategory/removeListener(_:)``.
public struct UnsubscribeToken: Sendable, Hashable {
    let channel: HubChannel
    let id: UUID
}

/// A part of an app that dispatches events.
public enum HubChannel: Sendable, Hashable {
    /// The sync engine.
    case dataStore
    /// The app's sign-in, which dispatches its events itself.
    case auth
    /// The app's calls of the server.
    case api
    /// A part of the app with this name.
    case custom(String)
}

/// An event.
public struct HubPayload: Sendable {
    /// The event's name.
    public let eventName: HubPayloadEventName
    /// A word about the circumstances, if there is one.
    public let context: String?
    /// The event's values: a ``NetworkStatusEvent``, for example.
    public let data: (any Sendable)?

    /// An event with these values.
    public init(eventName: HubPayloadEventName, context: String? = nil, data: (any Sendable)? = nil) {
        (self.eventName, self.context, self.data) = (eventName, context, data)
    }

    /// The names of events.
    public enum EventName {
        /// The events of the sync engine.
        public enum DataStore {
            /// With a ``NetworkStatusEvent``.
            public static let networkStatus = "DataStore.networkStatus"
            /// Without data.
            public static let subscriptionsEstablished = "DataStore.subscriptionEstablished"
            /// With a ``SyncQueriesStartedEvent``.
            public static let syncQueriesStarted = "DataStore.syncQueriesStarted"
            /// With a ``ModelSyncedEvent``.
            public static let modelSynced = "DataStore.modelSynced"
            /// Without data.
            public static let syncQueriesReady = "DataStore.syncQueriesReady"
            /// Without data.
            public static let syncStarted = "DataStore.syncStarted"
            /// Without data.
            public static let ready = "DataStore.ready"
            /// With an ``OutboxStatusEvent``.
            public static let outboxStatus = "DataStore.outboxStatus"
            /// With an ``OutboxMutationEvent``.
            public static let outboxMutationEnqueued = "DataStore.outboxMutationEnqueued"
            /// With an ``OutboxMutationEvent``.
            public static let outboxMutationProcessed = "DataStore.outboxMutationProcessed"
            /// With an ``OutboxMutationEvent``.
            public static let syncReceived = "DataStore.syncReceived"
            /// With an ``OutboxMutationEvent``.
            public static let conditionalSaveFailed = "DataStore.conditionalSaveFailed"
        }

        /// The events that the app's own sign-in dispatches.
        public enum Auth {
            /// A person signed in.
            public static let signedIn = "Auth.signedIn"
            /// The person signed out.
            public static let signedOut = "Auth.signedOut"
            /// The person's session ended.
            public static let sessionExpired = "Auth.sessionExpired"
        }
    }
}
