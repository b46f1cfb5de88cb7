@_spi(Adapters) public import TidelogCore

extension AdapterFactory {
    /// Rows in LMDB: the quickest reads, and the default.
    ///
    /// - Parameter mapSize: The most bytes the rows may take; `nil` for 64 GiB. Only address space is reserved.
    public static func lmdb(mapSize: Int? = nil) -> AdapterFactory {
        AdapterFactory(name: "lmdb", isPersistent: true, storesNames: false) { directory, isReadOnly in
            try LMDBAdapter(directory: directory, isReadOnly: isReadOnly, mapSize: mapSize)
        }
    }
}
