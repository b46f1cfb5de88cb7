internal import TidelogLMDB

extension DataStoreError {
    /// Translates an error of LMDB to an error of the store. Other errors are returned unchanged.
    package static func translating(_ error: any Error, _ what: String) -> any Error {
        guard let error = error as? LMDBError else { return error }
        switch error.code {
        case .mapFull, .noSpace, .quotaExceeded:
            return DataStoreError(
                .storageFull, "There is no room to \(what).", underlying: error,
                recovery: "Free space on the disk, raise the store's quota or compact the log; then try again.")
        case .alreadyOpen, .busy:
            return DataStoreError(
                .locked, "Could not \(what): the store is in use.", underlying: error,
                recovery: "Use the instance that is open, or close it first.")
        case .unsafePath, .networkFileSystem:
            return DataStoreError(
                .unsafePath, "Could not \(what): a store may not use this path.", underlying: error,
                recovery: "Use a directory on a local disk that you own and that is no symbolic link.")
        case .closed:
            return DataStoreError(
                .closed, "Could not \(what): the store was closed.", underlying: error, recovery: "Open it again.")
        // The limits of a cursor and of a page are large enough for every healthy tree. A keyspace keeps the flags that
        // it was created with. These errors therefore mean damage.
        case .damagedFile, .corrupted, .invalid, .pageNotFound, .cursorFull, .pageFull, .incompatible:
            return DataStoreError(
                .damaged, "Could not \(what): the file is damaged.", underlying: error,
                recovery: "Run `tidelog verify`; it says whether to recreate the rows or to salvage the log.")
        case .versionMismatch:
            return DataStoreError(
                .incompatibleLibrary, "Could not \(what): another version of LMDB is in use.", underlying: error,
                recovery: "Use LMDB 0.9. To use a file of LMDB 1.0, copy it with `mdb_dump` of 1.0 and "
                    + "`mdb_load` of 0.9.")
        default:
            return DataStoreError(
                .inputOutput, "Could not \(what).", underlying: error,
                recovery: "Remove the cause, then open the store again.")
        }
    }
}

/// Calls `body`, and translates errors of LMDB to errors of the store.
@inline(__always)
package func translatingErrors<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw DataStoreError.translating(error, what) }
}
