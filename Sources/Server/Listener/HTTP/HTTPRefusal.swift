/// A request that the listener refuses without calling the handler. The socket is closed after the response.
package enum HTTPRefusal: Sendable, Equatable {
    /// The bytes are no valid request. The text says why.
    case malformed(String)
    /// The bytes are the beginning of a TLS handshake, and the listener has no TLS identity or the client speaks TLS twice.
    case encrypted
    /// The request line is too long.
    case targetTooLong
    /// The header is too long, or has too many fields.
    case headersTooLarge
    /// The body is longer than this limit in bytes.
    case bodyTooLarge(limit: Int)
    /// The request did not arrive in time.
    case tooSlow
    /// The version is not HTTP/1.0 or HTTP/1.1.
    case unsupportedVersion
    /// The body has a transfer coding that the listener does not support.
    case unsupportedCoding
    /// The request expects something that the listener does not support.
    case unmetExpectation
    /// The client asks for another version of the WebSocket protocol than 13.
    case unsupportedWebSocketVersion

    /// The status of the response.
    package var status: Int {
        switch self {
        case .malformed, .encrypted: 400
        case .tooSlow: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unmetExpectation: 417
        case .unsupportedWebSocketVersion: 426
        case .headersTooLarge: 431
        case .unsupportedCoding: 501
        case .unsupportedVersion: 505
        }
    }

    /// The reason as a sentence for people.
    package var message: String {
        switch self {
        case .malformed(let reason): "The request is malformed: \(reason)."
        case .encrypted: "The request is a TLS handshake, and this port speaks HTTP without TLS."
        case .tooSlow: "The request did not arrive in time."
        case .bodyTooLarge(let limit): "The body is longer than \(limit) bytes."
        case .targetTooLong: "The request line is too long."
        case .unmetExpectation: "Only the expectation 100-continue is known."
        case .unsupportedWebSocketVersion: "Only version 13 of the WebSocket protocol is spoken here."
        case .headersTooLarge: "The header is too large."
        case .unsupportedCoding: "The only transfer coding that is understood is chunked."
        case .unsupportedVersion: "Only HTTP/1.0 and HTTP/1.1 are spoken here."
        }
    }
}
