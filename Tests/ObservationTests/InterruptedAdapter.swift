import Dispatch
@_spi(Adapters) import Tidelog
@_spi(Adapters) import TidelogCore
import TidelogSynchronization

/// An in-memory adapter that runs other work once, in the middle of a read: when a snapshot looks up or returns a row.
final class InterruptedAdapter: StorageAdapter {
    /// The work to run during a read. It runs only once.
    final class Interruption: Sendable {
        private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () async throws -> Void) { work.withLock { $0 = body } }

        /// Whether the work has begun.
        var isOver: Bool { work.withLock { $0 == nil } }

        fileprivate func run() {
            guard let body = work.withLock({ $0.take() }) else { return }
            let done = DispatchSemaphore(value: 0)
            // One thread of the pool is blocked until the work is done.
            Task.detached(priority: .high) {
                try? await body()
                done.signal()
            }
            done.wait()
        }
    }

    private let base: any StorageAdapter
    private let interruption: Interruption

    private init(_ base: any StorageAdapter, _ interruption: Interruption) {
        self.base = base
        self.interruption = interruption
    }

    static func factory(_ interruption: Interruption) -> AdapterFactory {
        let base = AdapterFactory.inMemory()
        return AdapterFactory(name: base.name, isPersistent: false) { directory, isReadOnly in
            InterruptedAdapter(try base.make(directory, isReadOnly), interruption)
        }
    }

    func begin() throws -> any AdapterTransaction { try base.begin() }
    func snapshot() throws -> any AdapterSnapshot { InterruptedSnapshot(try base.snapshot(), interruption) }
    func sync() throws { try base.sync() }
    func clear() throws { try base.clear() }
    func close() throws { try base.close() }
}

private final class InterruptedSnapshot: AdapterSnapshot {
    private let base: any AdapterSnapshot
    private let interruption: InterruptedAdapter.Interruption

    init(_ base: any AdapterSnapshot, _ interruption: InterruptedAdapter.Interruption) {
        self.base = base
        self.interruption = interruption
    }

    func end() { base.end() }
    func checkpoint() throws -> Checkpoint? { try base.checkpoint() }
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        interruption.run()
        return try base.get(key, in: model)
    }
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        try base.fetch(query) { row in
            interruption.run()
            return try body(row)
        }
    }
    func count(_ query: StorageQuery) throws -> Int { try base.count(query) }
    func plan(_ query: StorageQuery) throws -> QueryPlan { try base.plan(query) }
    func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
        try base.auxiliaryValue(key, in: table)
    }
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try base.auxiliaryEntries(after: key, in: table, body)
    }
}
