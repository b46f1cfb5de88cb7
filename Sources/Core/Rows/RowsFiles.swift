/// An adapter and the directory of its files.
struct RowsFiles: Sendable {
    let adapter: any StorageAdapter
    /// `nil` for an adapter without files.
    let directory: String?
    let marker: RowsMarker?

    /// Makes the rows durable, closes them, and marks them as clean.
    ///
    /// If the sync fails, the rows are not trusted again, because the system may have dropped the pages that it failed to
    /// write.
    func closeDurably() throws {
        do {
            do { try adapter.sync() } catch {
                try? adapter.close()
                throw error
            }
            try adapter.close()
            try marker?.markClean()
        } catch {
            marker?.remove()
            throw error
        }
    }

    /// The schema version of the rows, or `nil` if they have no checkpoint yet.
    func schemaVersion() throws -> UInt32? {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        return try snapshot.checkpoint()?.schemaVersion
    }
}
