import Foundation

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
