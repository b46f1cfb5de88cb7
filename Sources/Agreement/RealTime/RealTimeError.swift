internal import TidelogJSON

/// A text is not a valid message.
package struct MalformedMessage: Error, Sendable {
    package init() {}
}

/// The reason why a server of the real-time protocol refuses something.
package struct RealTimeError: Error, Sendable, Hashable {
    /// The type of the error.
    package var errorType: String
    /// The reason, as one sentence.
    package var message: String
    /// The corresponding HTTP status. Clients treat 400, 401 and 403 as final.
    package var errorCode: Int64?

    package init(_ errorType: String, _ message: String, errorCode: Int64? = nil) {
        self.errorType = errorType
        self.message = message
        self.errorCode = errorCode
    }
}
