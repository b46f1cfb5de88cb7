import TidelogConformance
import TidelogCore
import TidelogInMemoryAdapter

/// An adapter with its name, as tests run over all of them.
struct TestedAdapter: Sendable, CustomStringConvertible {
    let description: String
    let make: @Sendable (_ directory: String) throws -> any StorageAdapter

    /// Every adapter that the package ships.
    static let all = [
        TestedAdapter(description: "in memory") { _ in InMemoryAdapter() }
    ]
}
