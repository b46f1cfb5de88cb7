internal import Synchronization

/// The data files this process has mapped. Opened a second time, LMDB's close would drop the first one's locks.
enum OpenRegistry {
    /// A file, whatever its name, as one process sees it: a fork does not inherit its parent's claims.
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
        let stamp: Int
    }

    /// A claim on a file, released when nobody holds it any more.
    final class Claim: Sendable {
        private let key: Key
        /// Kept open until the claim is released: a deleted file's inode would be given to another at once.
        private let file: FileDescriptor

        /// Claims a file for this process, or throws `alreadyOpen`.
        init(_ file: FileDescriptor, device: UInt64, inode: UInt64) throws(LMDBError) {
            let key = Key(device: device, inode: inode, stamp: ProcessStamp.current)
            guard OpenRegistry.keys.withLock({ $0.insert(key).inserted }) else {
                throw LMDBError(.alreadyOpen, "open environment")
            }
            self.key = key
            self.file = file
        }

        deinit {
            OpenRegistry.keys.withLock { _ = $0.remove(key) }
        }
    }

    private static let keys = Mutex<Set<Key>>([])
}
