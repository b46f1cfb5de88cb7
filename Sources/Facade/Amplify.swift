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
