/// An adapter and the directory of its files.
package struct RowsFiles: Sendable {
    package let adapter: any StorageAdapter
    /// `nil` for an adapter without files.
    let directory: String?
    let marker: RowsMarker?

    package init(adapter: any StorageAdapter, directory: String?, marker: RowsMarker?) {
        self.adapter = adapter
        self.directory = directory
        self.marker = marker
    }

    /// Makes the rows durable, closes them, and marks them as clean.
    ///
    /// If the sync fails, the rows are not trusted again, because the system may have dropped the pages that it failed to
    /// write. If only the mark cannot be written, the rows are trusted until the system stops.
    func closeDurably() throws {
        do {
            try adapter.closingOnError { try adapter.sync() }
            try adapter.close()
        } catch {
            marker?.remove()
            throw error
        }
        do { try marker?.markClean() } catch let error as DataStoreError where error.code == .storageFull {}
    }

    /// The schema version of the rows, or `nil` if they have no checkpoint yet.
    func schemaVersion() throws -> UInt32? { try adapter.checkpoint()?.schemaVersion }
}
