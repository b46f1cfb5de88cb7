internal import TidelogCore

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
    func openRows(_ adapter: AdapterFactory, store: StoreID?) throws -> SalvagedRows? {
        guard adapter.isPersistent, current.rows > 0 else { return nil }
        return try SalvagedRows(directory.rows(current.generation, current.rows), adapter, store: store)
    }
}
