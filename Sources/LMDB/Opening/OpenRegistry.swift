internal import TidelogSynchronization

/// The data files that this process has mapped.
///
/// If a process opens a file twice, the first close releases the locks of both. The registry prevents that.
enum OpenRegistry {
    /// The identity of a file in one process, independent of its name. After a fork, the child does not inherit the claims.
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
        let stamp: Int
    }

    /// A claim on a file. It ends when it is released.
    final class Claim: Sendable {
        private let key: Key
        /// The file, which is kept open until the claim is released. Otherwise, the inode of a deleted file could be reused at
        /// once.
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
