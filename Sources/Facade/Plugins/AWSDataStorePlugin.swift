public import Foundation

/// A plugin for ``Amplify/add(plugin:)``: ``AWSDataStorePlugin`` or ``AWSAPIPlugin``.
public protocol Plugin: Sendable {
    /// The plugin's name, which is the same as in Amplify.
    var key: String { get }
}

/// The plugin for the store of an app.
public struct AWSDataStorePlugin: Plugin {
    /// The plugin's name, which is the same as in Amplify.
    public var key: String { "awsDataStorePlugin" }

    let registration: any AmplifyModelRegistration
    let configuration: DataStoreConfiguration
    let directory: URL?

    /// Makes the plugin for a store of the models in `modelRegistration`.
    ///
    /// - Parameters:
    ///   - modelRegistration: The type that the schema's option `registration: AmplifyModels` generates.
    ///   - configuration: The settings of the app for syncing.
    ///   - directory: The directory of the store; `nil` for a directory in the app's support directory.
    public init(
        modelRegistration: any AmplifyModelRegistration, configuration: DataStoreConfiguration = .default,
        directory: URL? = nil
    ) {
        registration = modelRegistration
        self.configuration = configuration
        self.directory = directory
    }
}
