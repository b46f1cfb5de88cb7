internal import Synchronization

/// The data files this process has mapped. Opened a second time, LMDB's close would drop the first one's locks.
enum OpenRegistry {
    /// A file, whatever its name.
    struct FileIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// A claim on a file by one process; a fork does not inherit its parent's.
    struct Claim: Hashable {
        let file: FileIdentity
        let stamp: Int
    }

    private static let claims = Mutex<Set<Claim>>([])

    /// Claims a file for this process, or throws `alreadyOpen`.
    static func claim(_ file: FileIdentity) throws(LMDBError) -> Claim {
        let claim = Claim(file: file, stamp: ProcessStamp.current)
        guard claims.withLock({ $0.insert(claim).inserted }) else {
            throw LMDBError(.alreadyOpen, "open environment")
        }
        return claim
    }

    static func release(_ claim: Claim) {
        claims.withLock { _ = $0.remove(claim) }
    }
}
