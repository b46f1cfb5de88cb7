import FaultHarness
import Foundation
import TidelogAmplify

/// An app with its own store. A process can have only one app at a time.
struct App {
    let directory: TemporaryDirectory

    /// Runs `body` with an app that does not sync.
    static func local(_ body: (App) async throws -> Void) async throws {
        let app = App(directory: try TemporaryDirectory("facade"))
        await Amplify.reset()
        do {
            try Amplify.add(
                plugin: AWSDataStorePlugin(modelRegistration: AmplifyModels(), directory: app.directory.file("store")))
            try Amplify.configure()
            try await body(app)
        } catch {
            await Amplify.reset()
            throw error
        }
        await Amplify.reset()
    }
}
