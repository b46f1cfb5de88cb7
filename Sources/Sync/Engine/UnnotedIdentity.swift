internal import Synchronization

/// The identity that the next write of the sync engine notes in the store; `nil` if none must be noted.
final class UnnotedIdentity: Sendable {
    private let identity = Mutex<SyncIdentity?>(nil)

    var value: SyncIdentity? { identity.withLock { $0 } }

    func set(_ value: SyncIdentity?) { identity.withLock { $0 = value } }
}
