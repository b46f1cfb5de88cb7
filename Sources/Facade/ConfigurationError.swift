/// The error of a call of ``Amplify/configure()`` or ``Amplify/add(plugin:)`` that comes too late, or of an unusable file.
public struct ConfigurationError: AmplifyError, CustomStringConvertible {
    /// A sentence that names the wrong call or file.
    public let message: String
    /// A sentence that says how to correct the call or the file.
    public let recovery: String
    /// The underlying error, if there is one.
    public let underlyingError: (any Error)?

    init(_ message: String, recovery: String, underlying: (any Error)? = nil) {
        self.message = message
        self.recovery = recovery
        underlyingError = underlying
    }

    /// Both sentences.
    public var description: String { "\(message) \(recovery)" }
}
