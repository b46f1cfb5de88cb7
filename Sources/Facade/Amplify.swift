public import Foundation

/// The entry point of apps that were written for Amplify DataStore: `Amplify.configure()`, `Amplify.DataStore.save(post)`.
///
/// Each call has Amplify's name and makes a call of Tidelog. The store and the sync engine that ``configure()`` makes are the
/// only global state of Tidelog.
public enum Amplify {
    /// The calls of the store.
    public static let DataStore = DataStoreCategory()

    /// The calls of the server's API, which do not use the store.
    public static let API = APICategory()

    /// The events of the sync engine and of the app.
    public static let Hub = HubCategory()

    /// Messages for developers.
    public static let Logging = LoggingCategory()

    /// Adds a plugin for ``configure()``.
    ///
    /// - Throws: ``ConfigurationError`` if `configure` was called before, or a plugin of this type was added before.
    public static func add(plugin: some Plugin) throws { try Configuration.shared.add(plugin) }

    /// Opens the store of the ``AWSDataStorePlugin`` that was added, and makes its sync engine.
    ///
    /// The URL of the server comes from `amplifyconfiguration.json` or `amplify_outputs.json` in the main bundle. If the bundle
    /// has no such file, the working directory is searched. Without a file, or without an ``AWSAPIPlugin``, the store stays on
    /// this device.
    ///
    /// This call does not wait until the store is open. The first call of ``Amplify/DataStore`` waits for it. If opening fails,
    /// that call throws the error, and the error handler receives it. Syncing starts with the first call, too.
    ///
    /// - Throws: ``ConfigurationError`` if this was called before, no data store plugin was added, or the file cannot be used.
    public static func configure() throws { try Configuration.shared.configure(Configuration.file()) }

    /// Does the same as ``configure()``, with the file at `url`.
    public static func configure(contentsOf url: URL) throws { try Configuration.shared.configure(url) }

    /// Stops the sync engine, closes the store and removes the plugins, so that `configure` can be called again. This is for
    /// tests.
    public static func reset() async { await Configuration.shared.reset() }
}

/// A plugin for ``Amplify/add(plugin:)``: ``AWSDataStorePlugin`` or ``AWSAPIPlugin``.
public protocol Plugin: Sendable {
    /// The plugin's name, which is the same as in Amplify.
    var key: String { get }
}

/// An error that the app's error handler receives or that ``Amplify/configure()`` throws.
public protocol AmplifyError: Error {
    /// The underlying error, if there is one.
    var underlyingError: (any Error)? { get }
}

extension DataStoreError: AmplifyError {
    /// The underlying error, if there is one.
    public var underlyingError: (any Error)? { underlying }
}

extension SyncError: AmplifyError {
    /// The underlying error, if there is one.
    public var underlyingError: (any Error)? { cause }
}

/// The error of a call of ``Amplify/configure()`` or ``Amplify/add(plugin:)`` that comes too late, or of an unusable file.
public struct ConfigurationError: AmplifyError, CustomStringConvertible {
    /// A sentence that names the wrong call or file.
    public let message: String
    /// A sentence that says how to correct the call or the file.
    public let recovery: String
    /// The underlying error, if there is one.
    public let underlyingError: (any Error)?

    init(_ message: String, recovery: String, underlying: (any Error)? = nil) {
        (self.message, self.recovery, underlyingError) = (message, recovery, underlying)
    }

    /// Both sentences.
    public var description: String { "\(message) \(recovery)" }
}
