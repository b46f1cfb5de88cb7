public import Observation
public import TidelogCore

/// Suspends a store while an app is in the background, and resumes it in the foreground.
///
/// `suspends(_:)` of `TidelogSwiftUI` uses this object. An app without scenes calls ``follow(isInBackground:store:)`` itself.
@Observable @MainActor
public final class StoreSuspension {
    /// The error of the last suspension or resumption, or `nil` if it succeeded.
    public private(set) var error: (any Error)?

    /// The store that this object has suspended, or is about to suspend.
    @ObservationIgnored private var suspended: DataStore?
    /// The last call to a store. Each call waits for the one before.
    @ObservationIgnored private var work: Task<Void, Never>?

    /// Creates an object that follows no app yet.
    public init() {}

    /// Suspends `store` if the app is in the background. Otherwise resumes the store that this object has suspended.
    ///
    /// Calls return at once, and their work is done in order. If another process still writes the store, the store is resumed
    /// as soon as that process has ended its work.
    public func follow(isInBackground: Bool, store: DataStore?) {
        if isInBackground {
            guard let store, store !== suspended else { return }
            suspended = store
            run { try await store.suspend() }
        } else if let store = suspended {
            suspended = nil
            run { try await Self.resume(store) }
        }
    }

    /// Waits until the work of all calls is done.
    public func finish() async { await work?.value }

    private func run(_ body: @escaping @Sendable () async throws -> Void) {
        let previous = work
        // Only a resumption that waits for another process ends early.
        previous?.cancel()
        work = Task { [weak self] in
            await previous?.value
            do {
                try await body()
                self?.error = nil
            } catch {
                self?.error = error
            }
        }
    }

    @concurrent private nonisolated static func resume(_ store: DataStore) async throws {
        while true {
            do { return try await store.resume() } catch let error as DataStoreError where error.code == .locked {
                if Task.isCancelled { throw error }
            }
        }
    }
}
