#if canImport(SwiftUI) && canImport(BackgroundTasks)
    import SwiftUI
    import TidelogSwiftUI

    /// The scene of an app that also syncs in the background.
    struct SyncedNotesScene: Scene {
        let sync: BackgroundSync
        @Environment(\.scenePhase) private var phase

        var body: some Scene {
            WindowGroup { BestNotes().dataStore(sync.store) }
                .suspends(sync.store)
                .onChange(of: phase, initial: true) {
                    sync.follow(isInBackground: phase == .background)
                    if phase == .background { sync.schedule() }
                }
                .backgroundTask(.appRefresh(BackgroundSync.identifier)) {
                    await sync.schedule()
                    await sync.run(until: .now + .seconds(20))
                }
        }
    }
#endif
