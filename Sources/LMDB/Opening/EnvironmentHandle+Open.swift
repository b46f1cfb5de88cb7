internal import CLMDB
internal import TidelogPlatform

extension EnvironmentHandle {
    /// Checks the path and the file, and then maps the file.
    static func open(directory: String, options: Environment.Options) throws(LMDBError) -> EnvironmentHandle {
        try LMDBVersion.current.check()
        try EnvironmentDirectory.check(
            directory, isReadOnly: options.isReadOnly, allowsNetworkFileSystem: options.allowsNetworkFileSystem)
        let takesLocks = !options.isReadOnly || EnvironmentDirectory.takesLocks(directory)
        let openLock = takesLocks ? try OpenLock(directory: directory) : OpenLock.none
        return try openLock.withLock { () throws(LMDBError) in
            let (data, isNew) = try openDataFile(directory: directory, options: options)
            // LMDB has no locks on the data file, so closing this descriptor releases none.
            let status = try data.status("open the data file")
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw LMDBError(.unsafePath, "open the data file", "not a regular file")
            }
            let claim = try OpenRegistry.Claim(
                data, device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
            try checkContents(of: data, byteCount: Int64(status.st_size), isNew: isNew, options: options)
            if takesLocks { try LockFile.allocate(directory: directory, options: options) }
            let pointer = try map(
                directory: directory, fileByteCount: Int(status.st_size), options: options, takesLocks: takesLocks)
            return EnvironmentHandle(
                pointer: pointer, isReadOnly: options.isReadOnly, pageSize: pageSize(of: pointer), openLock: openLock,
                claim: claim)
        }
    }

    /// Opens or creates the data file. Returns the file and whether it was created.
    private static func openDataFile(
        directory: String, options: Environment.Options
    ) throws(LMDBError) -> (file: FileDescriptor, isNew: Bool) {
        let path = directory + EnvironmentDirectory.dataFile
        let operation: StaticString = "open the data file"
        if options.isReadOnly {
            return (try FileDescriptor(path: path, flags: O_RDONLY, operation: operation), false)
        }
        do throws(LMDBError) {
            return (try FileDescriptor(path: path, flags: O_RDWR, operation: operation), false)
        } catch  where error.code == .fileNotFound && !options.requireExisting {
            return (try FileDescriptor(path: path, flags: O_RDWR | O_CREAT | O_EXCL, operation: operation), true)
        }
    }

    private static func checkContents(
        of data: FileDescriptor, byteCount: Int64, isNew: Bool, options: Environment.Options
    ) throws(LMDBError) {
        if byteCount > 0 {
            try DataFileInspection(file: data, readsEveryPage: options.inspectsEveryPage).run()
        } else if !isNew && (options.requireExisting || options.isReadOnly) {
            throw LMDBError(.damagedFile, "inspect the data file", "it is empty")
        }
    }

    private static func pageSize(of pointer: OpaquePointer) -> Int {
        var statistics = MDB_stat()
        mdb_env_stat(pointer, &statistics)
        return Int(statistics.ms_psize)
    }

    /// Opens the environment with the largest map for which the system has addresses.
    private static func map(
        directory: String, fileByteCount: Int, options: Environment.Options, takesLocks: Bool
    ) throws(LMDBError) -> OpaquePointer {
        let sizes = MapSize.forOpening(fileByteCount: fileByteCount, wanted: options.mapSize)
        for size in sizes {
            guard size == sizes.last || MapSize.isAvailable(size) else { continue }
            do throws(LMDBError) {
                return try open(directory: directory, mapSize: size, options: options, takesLocks: takesLocks)
            } catch  where error.code == .outOfMemory {}
        }
        throw LMDBError(
            .addressSpace, "open environment", "a map of \((sizes.last ?? 0) >> 20) MiB was refused")
    }

    private static func open(
        directory: String, mapSize: Int, options: Environment.Options, takesLocks: Bool
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try LMDBError.check(mdb_env_create(&created), "create an environment")
        guard let pointer = created else { throw LMDBError(.outOfMemory, "create an environment") }
        do throws(LMDBError) {
            try LMDBError.check(mdb_env_set_mapsize(pointer, mapSize), "set the map size")
            try LMDBError.check(
                mdb_env_set_maxdbs(pointer, UInt32(options.maximumKeyspaces)), "set the most keyspaces")
            try LMDBError.check(
                mdb_env_set_maxreaders(pointer, UInt32(options.maximumReaders)), "set the most readers")
            var flags = UInt32(MDB_NOTLS) | options.syncPolicy.flags
            if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
            if !takesLocks { flags |= UInt32(MDB_NOLOCK) }
            try LMDBError.check(mdb_env_open(pointer, directory, flags, 0o600), "open environment")
            try LMDBError.check(mdb_reader_check(pointer, nil), "clear stale readers")
            var information = MDB_envinfo()
            try LMDBError.check(mdb_env_info(pointer, &information), "read the environment's state")
            if information.me_last_txnid == 0 && !options.isReadOnly {
                // The file has no commits yet. It is made durable before any code relies on it.
                try LMDBError.check(mdb_env_sync(pointer, 1), "sync the new data file")
                try EnvironmentDirectory.synchronize(directory)
            }
            return pointer
        } catch {
            mdb_env_close(pointer)
            throw error
        }
    }
}

/// The file of LMDB's reader table. LMDB creates it without blocks and maps it. If the disk is full, the first reader that
/// needs a new block would end the process with SIGBUS. Therefore the blocks are allocated in advance.
private enum LockFile {
    private static let readerByteCount = 64
    private static let headerByteCount = 128

    /// Allocates the blocks of the file. Call this before LMDB opens the file, and never while the file is open in this
    /// process, because closing a descriptor would release LMDB's locks.
    static func allocate(directory: String, options: Environment.Options) throws(LMDBError) {
        let operation: StaticString = "allocate the lock file"
        let file = try FileDescriptor(
            path: directory + "/lock.mdb", flags: O_RDWR | O_CREAT, operation: operation)
        // The size of an existing table is not changed, because other processes may have mapped it.
        let present = try file.byteCount(operation)
        let wanted = Int64(options.maximumReaders * readerByteCount + headerByteCount)
        let error = Platform.reserve(present > 0 ? present : wanted, of: file.number)
        // Some file systems cannot allocate blocks in advance. There, blocks are allocated when they are needed.
        guard error == 0 || error == EOPNOTSUPP else { throw LMDBError(error, operation) }
    }
}
