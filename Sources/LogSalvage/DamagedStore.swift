@_spi(Adapters) internal import TidelogCore

/// A store whose log may be damaged so that it cannot be opened.
struct DamagedStore {
    let files: DamagedLogFiles
    private let directory: StoreDirectory
    private let current: StoreDirectory.CurrentFiles

    init(_ path: String) throws {
        directory = try StoreDirectory(reading: path)
        guard let current = try directory.currentFiles() else { throw DataStoreError.noStore(at: path) }
        self.current = current
        files = try DamagedLogFiles(directory: directory.log(current.generation, current.log))
    }

    /// Opens the rows for reading. The result is `nil` if there are no rows that can be trusted, or if they belong to
    /// another store.
    func openRows(_ adapter: AdapterFactory, store: StoreID?) throws -> Rows? {
        guard adapter.isPersistent, current.rows > 0 else { return nil }
        return try Rows(directory.rows(current.generation, current.rows), adapter, store: store)
    }
}

extension DamagedStore {
    /// The rows of a store with a damaged log, open for reading.
    struct Rows {
        let files: RowsFiles
        let snapshot: any AdapterSnapshot
        let checkpoint: Checkpoint

        /// Opens the rows in a directory. The result is `nil` if they cannot be trusted, or if they belong to another store
        /// than `store`.
        init?(_ path: String, _ factory: AdapterFactory, store: StoreID?) throws {
            let adapter = try factory.make(path, true)
            let snapshot = try adapter.closingOnError { try adapter.snapshot() }
            let close = {
                snapshot.end()
                try? adapter.close()
            }
            do {
                guard let checkpoint = try snapshot.checkpoint(), store ?? checkpoint.store == checkpoint.store,
                    checkpoint.sequence.value < FoundEvent.sequenceLimit
                else {
                    close()
                    return nil
                }
                let marker = RowsMarker(directory: path, store: checkpoint.store)
                guard try marker.isTrustworthy() else {
                    close()
                    return nil
                }
                files = RowsFiles(adapter: adapter, directory: path, marker: marker)
                (self.snapshot, self.checkpoint) = (snapshot, checkpoint)
            } catch {
                close()
                throw error
            }
        }

        func close() {
            snapshot.end()
            try? files.adapter.close()
        }
    }
}
