package import FaultHarness
package import Foundation
package import Tidelog

/// A directory for stores that is deleted with the test.
package struct Scratch: Sendable {
    /// The directory.
    package let directory: TemporaryDirectory

    /// Makes a new directory.
    package init() throws { directory = try TemporaryDirectory("stores") }

    /// The path of the store called `name`.
    package func path(_ name: String = "store") -> URL { directory.file(name) }
}

extension DataStore {
    /// The hash over all rows.
    package func hash() async throws -> StateHash { try await read { try $0.stateHash() } }
}
