import Testing
package import Tidelog

/// An adapter to run a test over.
package struct Adapter: Sendable, CustomTestStringConvertible {
    /// What makes it.
    package let factory: AdapterFactory

    /// The adapter that `factory` makes.
    package init(factory: AdapterFactory) { self.factory = factory }

    /// Its name.
    package var testDescription: String { factory.name }

    /// All that there are.
    package static let all = [Adapter(factory: .inMemory())] + persistent
    /// Those whose rows outlive the process.
    package static let persistent = [Adapter(factory: .lmdb()), Adapter(factory: .sqlite())]
}
