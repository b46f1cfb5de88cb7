#if canImport(SwiftUI)
    public import SwiftUI
    public import TidelogCore
    internal import TidelogObservation

    extension Scene {
        /// Suspends `store` while this scene is in the background, so that the system does not end the app because of a lock on
        /// a file.
        ///
        /// A scene is in the background when all of its windows are. The modifier belongs to the scene that contains all views
        /// of the store.
        public func suspends(_ store: DataStore?) -> some Scene { SuspendingScene(content: self, store: store) }
    }

    private struct SuspendingScene<Content: Scene>: Scene {
        @Environment(\.scenePhase) private var phase
        @State private var suspension = StoreSuspension()
        let content: Content
        let store: DataStore?

        var body: some Scene {
            content.onChange(of: phase, initial: true) {
                suspension.follow(isInBackground: phase == .background, store: store)
            }
        }
    }
#endif
