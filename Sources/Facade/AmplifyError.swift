/// An error that the app's error handler receives or that ``Amplify/configure()`` throws.
public protocol AmplifyError: Error {
    /// The underlying error, if there is one.
    var underlyingError: (any Error)? { get }
}

extension DataStoreError: AmplifyError {}
extension SyncError: AmplifyError {}
extension GraphQLClientError: AmplifyError {}

extension TidelogError {
    /// The underlying error, if there is one.
    public var underlyingError: (any Error)? { underlying }
}

// MARK: - Errors of the facade itself

extension DataStoreError.Code {
    /// `Amplify.configure()` was not called.
    public static let notConfigured = Self("notConfigured")
    /// The sync engine failed. The underlying error gives the reason.
    public static let sync = Self("sync")
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
}

extension DataStoreError {
    /// The error of a call before ``Amplify/configure()``.
    static let notConfigured = DataStoreError(
        .notConfigured, "Amplify.configure() was not called.",
        recovery: "Add an AWSDataStorePlugin and call Amplify.configure() before anything else.")

    /// Makes the error for a call with a closure, which can only report errors of this type.
    init(_ error: any Error) {
        switch error {
        case let error as DataStoreError: self = error
        case let error as SyncError:
            self.init(.sync, error.message, underlying: error, recovery: error.recovery)
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled.", underlying: error, recovery: "Call again.")
        default: self.init(.sync, "The call failed.", underlying: error, recovery: "Read the cause.")
        }
    }
}
