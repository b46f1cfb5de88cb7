/// Makes the adapter of a store: `.lmdb()`, `.sqlite()`, `.inMemory()`, or a custom one.
public struct AdapterFactory: Sendable {
    /// The name of the adapter, as the store records it.
    public let name: String
    /// Whether the adapter keeps its rows after the process has ended. Such an adapter gets a directory.
    public let isPersistent: Bool
    /// Whether the adapter stores rows under the names of models and fields. If so, the rows are recreated when a name changes.
    /// The value true is right for every adapter. An adapter that uses only numbers can avoid this work with false.
    public let storesNames: Bool
    /// Makes the adapter with files in an existing directory, only for reading or also for writing.
    @_spi(Adapters) public let make: @Sendable (_ directory: String, _ isReadOnly: Bool) throws -> any StorageAdapter

    /// A factory of the adapter called `name`.
    @_spi(Adapters) public init(
        name: String, isPersistent: Bool, storesNames: Bool = true,
        make: @escaping @Sendable (_ directory: String, _ isReadOnly: Bool) throws -> any StorageAdapter
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.storesNames = storesNames
        self.make = make
    }
}
