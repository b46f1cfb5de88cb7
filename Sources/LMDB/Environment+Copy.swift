internal import CLMDB

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension Environment {
    /// Writes the last commit to `data.mdb` in another directory, which must exist and hold none yet, and syncs it.
    ///
    /// Writers go on meanwhile; what they free is not reused before the copy is done.
    /// - Parameter compacting: leaves free pages out and numbers the others again; slower.
    /// - Throws: `fileExists`, `noSpace`, or what else the system answers; the partial copy is removed.
    public func copy(to directory: String, compacting: Bool = false) throws(LMDBError) {
        let operation: StaticString = "copy the environment"
        let handle = try handle(operation)
        try handle.enter(operation)
        defer { handle.leave() }
        try EnvironmentDirectory.check(directory, allowsNetworkFileSystem: true)
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
