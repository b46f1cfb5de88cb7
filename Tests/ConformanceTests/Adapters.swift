import FleetingRows
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogInMemoryAdapter
@_spi(Adapters) import TidelogLMDBAdapter
@_spi(Adapters) import TidelogSQLiteAdapter

/// An adapter with its name, as tests run over all of them.
struct TestedAdapter: Sendable, CustomStringConvertible {
    let description: String
    var isPersistent = true
    let make: @Sendable (_ directory: String) throws -> any StorageAdapter

    /// Every adapter that the package ships, and one whose rows last no longer than they must.
    static let all = [
        TestedAdapter(description: "in memory", isPersistent: false) { _ in InMemoryAdapter() },
        TestedAdapter(description: "lmdb") { try AdapterFactory.lmdb().make($0, false) },
        TestedAdapter(description: "sqlite") { try AdapterFactory.sqlite().make($0, false) },
        TestedAdapter(description: "fleeting", isPersistent: false) { _ in FleetingAdapter(InMemoryAdapter()) },
    ]
}
