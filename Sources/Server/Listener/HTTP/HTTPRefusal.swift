/// Why a request is answered by the listener itself, without asking the handler. The socket is closed behind the answer.
package enum HTTPRefusal: Sendable, Equatable {
    /// The bytes are no request: what is wrong with them.
    case malformed(String)
    /// The request line is too long.
    case targetTooLong
    /// The header is too long, or has too many fields.
    case headersTooLarge
    /// The body is longer than the limit, in bytes.
    case bodyTooLarge(limit: Int)
    /// The request did not come within its time.
    case tooSlow
    /// The version is not HTTP/1.0 or HTTP/1.1.
    case unsupportedVersion
    /// The body is coded in a way that is not understood.
    case unsupportedCoding
    /// Something was expected that cannot be met.
    case unmetExpectation
    /// A WebSocket of a version other than 13 was asked for.
    case unsupportedWebSocketVersion

    /// The status that the answer must have.
    package var status: Int {
        switch self {
        case .malformed: 400
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

    /// What was wrong, as a sentence for people.
    package var message: String {
        switch self {
        case .malformed(let reason): "The request is malformed: \(reason)."
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
