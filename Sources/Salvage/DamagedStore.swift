internal import TidelogCore

/// A store whose log may be damaged so that it cannot be opened.
struct DamagedStore {
    let files: DamagedLogFiles
    private let directory: StoreDirectory
    private let generation: Int

    init(_ path: String) throws {
        directory = try StoreDirectory(reading: path)
        generation = try StoreDirectory.highest("generation-", in: path)
        guard generation > 0 else {
            throw DataStoreError.noStore(at: path)
        }
        files = try DamagedLogFiles(directory: directory.log(generation, directory.logNumber(generation)))
    }

    /// Opens the rows for reading. The result is `nil` if there are no rows that can be trusted, or if they belong to
    /// another store.
    func openRows(_ adapter: AdapterFactory, store: StoreID?) throws -> SalvagedRows? {
        guard adapter.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { return nil }
        return try SalvagedRows(directory.rows(generation, number), adapter, store: store)
    }
}
