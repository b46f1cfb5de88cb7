@_spi(Adapters) public import TidelogCore

extension AdapterFactory {
    /// Rows in LMDB. This adapter has the fastest reads and is the default.
    ///
    /// - Parameter mapSize: The largest size of the rows in bytes, or `nil` for 64 GiB. Only address space is reserved.
    public static func lmdb(mapSize: Int? = nil) -> AdapterFactory {
        AdapterFactory(name: "lmdb", isPersistent: true, storesNames: false) { directory, isReadOnly in
            try LMDBAdapter(directory: directory, isReadOnly: isReadOnly, mapSize: mapSize)
        }
    }
}
