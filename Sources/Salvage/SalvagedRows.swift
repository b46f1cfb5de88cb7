@_spi(Adapters) internal import TidelogCore

/// The rows of a store with a damaged log, open for reading.
struct SalvagedRows {
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
