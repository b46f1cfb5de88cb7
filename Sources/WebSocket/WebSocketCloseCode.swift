/// The reason for closing a WebSocket: RFC 6455, section 7.4.
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire.
    package let rawValue: UInt16

    /// The code with this number.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    package static let normal = Self(rawValue: 1_000)
    /// The server stops, or the client leaves.
    package static let goingAway = Self(rawValue: 1_001)
    /// The bytes break the protocol.
    package static let protocolError = Self(rawValue: 1_002)
    /// The receiver does not accept messages of this kind.
    package static let unsupportedData = Self(rawValue: 1_003)
    /// A text is not UTF-8.
    package static let invalidPayload = Self(rawValue: 1_007)
    /// The message is against the rules of the service.
    package static let policyViolation = Self(rawValue: 1_008)
    /// A message is longer than the limit.
    package static let messageTooBig = Self(rawValue: 1_009)
    /// The server cannot serve the connection now.
    package static let tryAgainLater = Self(rawValue: 1_013)

    /// Whether a frame may contain the number.
    package var isValid: Bool {
        switch rawValue {
        case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
        default: false
        }
    }
}
