/// The reason why a listener cannot start.
package struct ListenerError: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The host is no address of this computer.
        case invalidAddress
        /// Another program or another listener uses the port.
        case portInUse
        /// Only privileged programs may use the port.
        case permissionDenied
        /// A file of the TLS identity cannot be read.
        case unreadableFile
        /// A file of the TLS identity has the wrong contents.
        case invalidFile
        /// The private key does not belong to the certificate.
        case keyMismatch
        /// The system refused something else.
        case system
    }

    /// The kind of failure.
    package let code: Code
    /// The reason, and what the operator can do.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ListenerError: CustomStringConvertible {
    /// The error's message.
    package var description: String { message }
}
