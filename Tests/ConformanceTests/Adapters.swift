import FleetingRows
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogLMDBAdapter
@_spi(Adapters) import TidelogMemoryAdapter
@_spi(Adapters) import TidelogSQLiteAdapter

/// An adapter and its name, so that tests can run with every adapter.
struct TestedAdapter: Sendable, CustomStringConvertible {
    let description: String
    var isPersistent = true
    let make: @Sendable (_ directory: String) throws -> any StorageAdapter

    /// Every adapter of the package, and one adapter whose rows are valid only as long as the contract demands.
    static let all = [
        TestedAdapter(description: "in memory", isPersistent: false) { _ in InMemoryAdapter() },
        TestedAdapter(description: "lmdb") { try AdapterFactory.lmdb().make($0, false) },
        TestedAdapter(description: "sqlite") { try AdapterFactory.sqlite().make($0, false) },
        TestedAdapter(description: "fleeting", isPersistent: false) { _ in FleetingAdapter(InMemoryAdapter()) },
    ]
}
