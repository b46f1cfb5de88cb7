/// The limits of a listener: how much clients may send, and how long the listener waits for them.
package struct ListenerLimits: Sendable {
    /// Bytes of a request line and its header fields together.
    package var maximumHeaderBytes = 32 << 10
    /// Fields of a request's header.
    package var maximumHeaderFields = 100
    /// Bytes of a request's body.
    package var maximumBodyBytes = 1 << 20
    /// Bytes of one message from a WebSocket client.
    package var maximumMessageBytes = 256 << 10
    /// Bytes that wait for a slow WebSocket client. If more wait, its socket is closed.
    package var maximumQueuedBytes = 4 << 20
    /// Open sockets at a time. Further sockets are closed immediately.
    package var maximumSockets = 10_000
    /// The time for the header of a request, including the TLS handshake.
    package var headerTime = Duration.seconds(10)
    /// The time for the body, after the header.
    package var bodyTime = Duration.seconds(30)
    /// The time for which an idle socket stays open between two requests.
    package var keepAliveTime = Duration.seconds(75)
    /// The time without progress after which a socket that sends is closed.
    package var stallTime = Duration.seconds(30)
    /// The average rate, in bytes per second, at which a client must at least receive a response.
    package var minimumSendRate = 32 << 10
    /// The time without a byte from its client after which a WebSocket is closed. After half of this time, the listener sends a
    /// ping.
    package var silenceTime = Duration.seconds(150)
    /// The time for a client to answer when a socket is closed.
    package var closeTime = Duration.seconds(3)

    /// Makes the limits for general use.
    package init() {}
}
