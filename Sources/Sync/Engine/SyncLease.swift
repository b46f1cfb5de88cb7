internal import TidelogCore
internal import TidelogSynchronization

/// The right to sync a store, which one engine has at a time.
///
/// Only the process that opened a store for writing can sync it, and the store's lock allows this for one process. The lease
/// therefore only arbitrates between the engines of one process.
final class SyncLease: Sendable {
    private typealias Waiter = @Sendable () -> Void

    private struct Line {
        var holder: ObjectIdentifier
        var waiters: [(engine: ObjectIdentifier, tell: Waiter)] = []
    }

    /// The engines of each store. A store is not deallocated while it is synced, so its object identifier stays unique.
    private static let lines = Mutex<[ObjectIdentifier: Line]>([:])

    private let store: ObjectIdentifier

    init(of store: DataStore) { self.store = ObjectIdentifier(store) }

    /// Takes the lease. If another engine has it, `tell` is called when that engine gives it up.
    ///
    /// - Returns: Whether this engine has the lease.
    func take(_ tell: @escaping @Sendable () -> Void) -> Bool {
        let engine = ObjectIdentifier(self)
        return Self.lines.withLock { lines in
            guard var line = lines[store], line.holder != engine else {
                if lines[store] == nil { lines[store] = Line(holder: engine) }
                return true
            }
            if !line.waiters.contains(where: { $0.engine == engine }) { line.waiters.append((engine, tell)) }
            lines[store] = line
            return false
        }
    }

    /// Gives up the lease, or the place in the queue for it. The next engine in the queue then has the lease.
    func giveUp() {
        let engine = ObjectIdentifier(self)
        let tell = Self.lines.withLock { lines -> Waiter? in
            lines[store]?.waiters.removeAll { $0.engine == engine }
            guard lines[store]?.holder == engine else { return nil }
            guard let next = lines[store]?.waiters.first else {
                lines[store] = nil
                return nil
            }
            lines[store]?.waiters.removeFirst()
            lines[store]?.holder = next.engine
            return next.tell
        }
        tell?()
    }

    deinit { giveUp() }
}
