internal import CLMDB
internal import TidelogPlatform

extension Environment {
    /// Writes the last commit to `data.mdb` in another directory and syncs it. The directory must exist and must not contain
    /// such a file.
    ///
    /// Other threads can write during the copy. Pages that they free are not reused before the copy is complete.
    /// - Parameter compacting: Whether to leave out free pages and renumber the used pages. This is slower.
    /// - Throws: `fileExists`, `noSpace`, or another error of the system. After an error, the partial copy is removed.
    public func copy(to directory: String, compacting: Bool = false) throws(LMDBError) {
        let operation: StaticString = "copy the environment"
        let handle = try handle(operation)
        try handle.enter(operation)
        defer { handle.leave() }
        try EnvironmentDirectory.check(directory, isReadOnly: false, allowsNetworkFileSystem: true)
        let path = directory + EnvironmentDirectory.dataFile
        let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, operation: operation)
        do throws(LMDBError) {
            let flags = compacting ? UInt32(MDB_CP_COMPACT) : 0
            try LMDBError.check(mdb_env_copyfd2(handle.pointer, file.number, flags), operation)
            try file.synchronize(operation)
            try EnvironmentDirectory.synchronize(directory)
        } catch {
            unlink(path)
            throw error
        }
    }
}
