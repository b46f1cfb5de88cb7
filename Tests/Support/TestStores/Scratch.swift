package import FaultHarness
package import Foundation
package import Tidelog

/// A place for stores that goes away with the test.
package struct Scratch: Sendable {
    /// All of the place.
    package let directory: TemporaryDirectory

    /// A new place.
    package init() throws { directory = try TemporaryDirectory("stores") }

    /// Where the store called `name` is.
    package func path(_ name: String = "store") -> URL { directory.file(name) }
}

extension DataStore {
    /// The hash over all rows.
    package func hash() async throws -> StateHash { try await read { try $0.stateHash() } }
}
