/// Why a listener cannot start.
package struct ListenerError: Error, Sendable, Hashable {
    /// What went wrong.
    package enum Code: Sendable, Hashable {
        /// The host is no address of this computer.
        case invalidAddress
        /// Another program, or another listener, has the port.
        case portInUse
        /// The port is for privileged programs only.
        case permissionDenied
        /// A file of the TLS identity cannot be read.
        case unreadableFile
        /// A file of the TLS identity does not hold what it should.
        case invalidFile
        /// The private key is not that of the certificate.
        case keyMismatch
        /// The system refused something else.
        case system
    }

    /// What went wrong.
    package let code: Code
    /// What happened, and what to do.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ListenerError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
