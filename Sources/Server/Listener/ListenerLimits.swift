/// How much a listener takes from its clients, and how long it waits for them.
package struct ListenerLimits: Sendable {
    /// Bytes of a request's line and header fields together.
    package var maximumHeaderBytes = 32 << 10
    /// Fields of a request's header.
    package var maximumHeaderFields = 100
    /// Bytes of a request's body.
    package var maximumBodyBytes = 1 << 20
    /// Bytes of a message that a WebSocket receives.
    package var maximumMessageBytes = 256 << 10
    /// Bytes that wait for a slow client of a WebSocket. With more, its socket is closed.
    package var maximumQueuedBytes = 4 << 20
    /// Sockets at a time. The next ones are closed at once.
    package var maximumSockets = 10_000
    /// How long a client may take for the header of a request, TLS included.
    package var headerTime = Duration.seconds(10)
    /// How long it may then take for the body.
    package var bodyTime = Duration.seconds(30)
    /// How long a socket is kept open between two requests.
    package var keepAliveTime = Duration.seconds(75)
    /// How long a socket may stand still while something is sent.
    package var stallTime = Duration.seconds(30)
    /// How many bytes of a response a client must take each second at least, on the whole.
    package var minimumSendRate = 32 << 10
    /// After how long without a byte of its client a WebSocket is closed. After half of it the client is asked for one.
    package var silenceTime = Duration.seconds(150)
    /// How long a client may take to answer that a socket is to be closed.
    package var closeTime = Duration.seconds(3)

    /// The limits that are meant for general use.
    package init() {}
}
