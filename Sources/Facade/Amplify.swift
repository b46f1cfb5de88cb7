public import Foundation

/// The entry point of apps that were written for Amplify DataStore: `Amplify.configure()`, `Amplify.DataStore.save(post)`.
///
/// Each call is a call of Tidelog by Amplify's name. The store and the sync engine that ``configure()`` made are the only
/// global state of Tidelog.
public enum Amplify {
    /// The store's verbs.
    public static let DataStore = DataStoreCategory()

    /// The server's records of this moment.
    public static let API = APICategory()

    /// The events of the sync engine and of the app.
    public static let Hub = HubCategory()

    /// Messages for developers.
    public static let Logging = LoggingCategory()

    /// Notes a plugin for ``configure()``.
    ///
    /// - Throws: ``ConfigurationError`` if `configure` was called before, or a plugin of this type was added before.
    public static func add(plugin: some Plugin) throws { try Configuration.shared.add(plugin) }

    /// Opens the store of the ``AWSDataStorePlugin`` that was added, and makes its sync engine.
    ///
    /// The address of the server comes from `amplifyconfiguration.json` or `amplify_outputs.json` of the main bundle, else of
    /// the working directory. Without such a file, or without an ``AWSAPIPlugin``, the store stays on this device.
    ///
    /// The call does not wait until the store is open: the first call of ``Amplify/DataStore`` does. If opening fails, that
    /// call throws the failure, and the error handler gets it. Syncing starts with the first call, too.
    ///
    /// - Throws: ``ConfigurationError`` if it was called before, no data store plugin was added, or the file cannot be used.
    public static func configure() throws { try Configuration.shared.configure(Configuration.file()) }

    /// As ``configure()``, with the file at `url`.
    public static func configure(contentsOf url: URL) throws { try Configuration.shared.configure(url) }

    /// Stops the sync engine, closes the store and forgets the plugins, so that `configure` can be called again. For tests.
    public static func reset() async { await Configuration.shared.reset() }
}

/// Something that ``Amplify/add(plugin:)`` takes: ``AWSDataStorePlugin`` or ``AWSAPIPlugin``.
public protocol Plugin: Sendable {
    /// The plugin's name, which is Amplify's.
    var key: String { get }
}

/// A failure that the app's error handler gets, or that ``Amplify/configure()`` throws.
public protocol AmplifyError: Error {
    /// The failure beneath, if there is one.
    var underlyingError: (any Error)? { get }
}

extension DataStoreError: AmplifyError {
    /// The failure beneath, if there is one.
    public var underlyingError: (any Error)? { underlying }
}

extension SyncError: AmplifyError {
    /// The failure beneath, if there is one.
    public var underlyingError: (any Error)? { cause }
}

/// A call of ``Amplify/configure()`` or ``Amplify/add(plugin:)`` that comes too late, or a file that cannot be used.
public struct ConfigurationError: AmplifyError, CustomStringConvertible {
    /// A sentence that says which call or file is at fault.
    public let message: String
    /// A sentence that says how to correct it.
    public let recovery: String
    /// The failure beneath, if there is one.
    public let underlyingError: (any Error)?

    init(_ message: String, recovery: String, underlying: (any Error)? = nil) {
        (self.message, self.recovery, underlyingError) = (message, recovery, underlying)
    }

    /// Both sentences.
    public var description: String { "\(message) \(recovery)" }
}
