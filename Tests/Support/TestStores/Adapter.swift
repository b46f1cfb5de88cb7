import Testing
package import Tidelog

/// An adapter with which a test runs.
package struct Adapter: Sendable, CustomTestStringConvertible {
    /// The factory of the adapter.
    package let factory: AdapterFactory

    /// An adapter from its factory.
    package init(factory: AdapterFactory) { self.factory = factory }

    /// The name of the adapter.
    package var testDescription: String { factory.name }

    /// All adapters.
    package static let all = [Adapter(factory: .inMemory())] + persistent
    /// The adapters whose rows outlive the process.
    package static let persistent = [Adapter(factory: .lmdb()), Adapter(factory: .sqlite())]
}
