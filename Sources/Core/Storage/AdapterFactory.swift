/// How a store makes its adapter: `.lmdb()`, `.sqlite()`, `.inMemory()`, or one of your own.
public struct AdapterFactory: Sendable {
    /// The adapter's name, recorded in the store.
    public let name: String
    /// Whether the adapter's rows outlive the process, so that it is given a directory.
    public let isPersistent: Bool
    /// Whether rows stand under the names of models and fields, so that they are recreated when one is renamed. Right for
    /// every adapter; one that goes by numbers alone saves the work.
    public let storesNames: Bool
    /// Makes the adapter on the files in a directory that exists, for reading only or for both.
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
