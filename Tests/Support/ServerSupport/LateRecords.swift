package import Tidelog
package import TidelogServer
internal import TidelogSynchronization

/// The records of a server whose reads are late: `get`, lists, queries by an index and relations miss the last changes, as they
/// may with AppSync. Mutations decide about the latest records.
///
/// A test can also write past the API, as scripts and consoles do that use the database itself.
package final class LateRecords: ForwardingStore {
    package let store: any VersionedStore
    /// The records that reads see.
    private let replica: DataStore
    private let kind: APIKind
    private let keys: [String: [String]]
    private let state = Mutex(State())

    private struct State {
        var lag = 0
        /// The written records that the replica does not have yet, in the order of their places.
        var waiting: [(record: Record, place: UInt64)] = []
        /// The changes that subscribers do not hear of.
        var unseen: Set<Version> = []
    }

    /// A version of a record.
    private struct Version: Hashable {
        let model: String
        let id: RecordID
        let version: Int64
    }

    /// Makes late records over `store`, which is empty and has the records of `api`.
    package init(_ store: any VersionedStore, of api: API) async throws {
        self.store = store
        kind = api.kind
        let schema = api.storedSchema
        keys = Dictionary(uniqueKeysWithValues: schema.models.map { ($0.name, $0.primaryKey) })
        replica = try await DataStore.inMemory(schema: schema)
    }

    /// Sets the number of changes that reads miss. Reads see every change if it is 0.
    package func setLag(_ count: Int) async throws {
        state.withLock { $0.lag = count }
        try await catchUp()
    }

    /// Writes the record that `change` makes of the stored one, past the API: no time is set, and no subscriber hears of it. If
    /// `change` returns `nil`, the record is deleted.
    package func writePastAPI(
        _ model: String, _ id: RecordID, _ change: @escaping @Sendable (Record?) -> Record?
    ) async throws {
        let request = RequestedChange(model, id) { [self] stored in
            note(model, id, after: stored, isSeen: false)
            if let record = change(stored) { return .save(record) }
            return stored.map { .delete($0) } ?? .keep
        }
        try await write([request]).forEach { _ = try $0.get() }
    }

    // MARK: Changes

    package func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        try await write(
            changes.map { change in
                var noted = change
                noted.decide = { [self] stored in
                    note(change.model, change.id, after: stored, isSeen: true)
                    return try change.decide(stored)
                }
                return noted
            })
    }

    private func write(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        let results = try await store.change(changes)
        state.withLock { state in
            for case .success(let outcome) in results {
                guard outcome.kind == .written, let record = outcome.record, let place = outcome.place else { continue }
                state.waiting.append((record, place))
            }
            state.waiting.sort { $0.place < $1.place }
        }
        try await catchUp()
        return results
    }

    private func note(_ model: String, _ id: RecordID, after stored: Record?, isSeen: Bool) {
        let version = Version(model: model, id: id, version: (stored?.version ?? 0) + 1)
        state.withLock { if isSeen { $0.unseen.remove(version) } else { $0.unseen.insert(version) } }
    }

    /// Gives the replica every change except the last ones.
    private func catchUp() async throws {
        _ = try await replica.writeReturning(requireParents: false) { [self] transaction in
            transaction.checksRules = false
            let due = state.withLock { state in
                let due = state.waiting.dropLast(state.lag)
                state.waiting.removeFirst(due.count)
                return due
            }
            for (record, _) in due {
                if record.isTombstone, !kind.leavesTombstones {
                    try transaction.delete(record.model, id: id(of: record), cascading: false)
                } else {
                    try transaction.save(record)
                }
            }
        }
    }

    private func id(of record: Record) -> RecordID {
        RecordID((keys[record.model] ?? []).compactMap { record[$0] })
    }

    package func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable {
        seen(try await store.changes())
    }

    private func seen(
        _ changes: some AsyncSequence<StoredChange, any Error> & Sendable
    ) -> any AsyncSequence<StoredChange, any Error> & Sendable {
        changes.filter { [self] change in
            let record = change.record
            let version = Version(model: record.model, id: id(of: record), version: record.version)
            return state.withLock { !$0.unseen.contains(version) }
        }
    }

    // MARK: Reads

    package func record(_ model: String, _ id: RecordID) async throws -> Record? {
        try await replica.record(model, id: id)
    }

    package func page(_ query: PageQuery) async throws -> CountedPage { try await replica.read { try $0.page(query) } }
}
