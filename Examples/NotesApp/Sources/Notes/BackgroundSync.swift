import Tidelog

#if canImport(BackgroundTasks)
    import BackgroundTasks
    import Foundation
#endif

/// Syncs an app's store all the time in the foreground, and once in each background task.
@MainActor
final class BackgroundSync {
    let store: DataStore
    let engine: SyncEngine
    private(set) var isInBackground = true

    init(store: DataStore, engine: SyncEngine) {
        self.store = store
        self.engine = engine
    }

    /// Notes the phase of the scene. The modifier `.suspends(store)` suspends and resumes the store.
    func follow(isInBackground: Bool) {
        self.isInBackground = isInBackground
        if !isInBackground { engine.requestStart() }
    }

    /// Sends and receives everything once, or what is possible before the deadline.
    func run(until deadline: ContinuousClock.Instant) async {
        // Another process may write the store now. It then syncs too, or the next task does.
        do { try await store.resume() } catch { return }
        _ = await engine.runOnce(until: deadline)
        if isInBackground { try? await store.suspend() }
        // The app may have come to the foreground at any time of this run.
        if !isInBackground {
            try? await store.resume()
            engine.requestStart()
        }
    }
}

#if canImport(BackgroundTasks)
    extension BackgroundSync {
        /// The identifier of the task, which the app's `Info.plist` permits.
        static let identifier = "com.example.notes.sync"

        /// Asks the system for a run in the background, in a quarter of an hour at the earliest.
        func schedule() {
            let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
            try? BGTaskScheduler.shared.submit(request)
        }
    }
#endif
