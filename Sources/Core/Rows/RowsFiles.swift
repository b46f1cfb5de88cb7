/// An adapter and where its files are.
struct RowsFiles: Sendable {
    let adapter: any StorageAdapter
    /// `nil` for an adapter without files.
    let directory: String?
    let marker: RowsMarker?

    /// Makes the rows durable, closes them, and says so beside them. If that fails, they are not trusted again: the system
    /// may have let go of what it failed to write.
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

    /// The schema version that the rows follow, `nil` if there are none yet.
    func schemaVersion() throws -> UInt32? {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        return try snapshot.checkpoint()?.schemaVersion
    }
}
