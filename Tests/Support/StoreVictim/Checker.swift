import Foundation
@_spi(Adapters) import Tidelog
import TidelogSynchronization

/// Opens a store and compares it with its log, and compares the log with the workload that wrote it.
///
/// It prints `count`, `head`, `hash` and `numbers`, which are the numbers of the workload's commits in the order of the log.
struct Checker {
    private let directory: URL
    private let adapter: AdapterFactory
    private let workload: Workload

    init(_ arguments: [String]) {
        directory = URL(fileURLWithPath: arguments[1])
        adapter = StoreVictim.factory(arguments[2])
        workload = StoreVictim.workload(arguments[3])
    }

    func run() async throws {
        let found = try await look(adapter)
        // The same log is replayed into new rows.
        let collector = Collector()
        let memory = AdapterFactory(name: adapter.name, isPersistent: false, make: AdapterFactory.inMemory().make)
        let replayed = try await look(memory, collector)
        guard found == replayed else { throw Wrong("rows are not the log's: \(found), replayed \(replayed)") }
        let (numbers, expected) = try expectation(of: collector.commits)
        for (model, records) in found.records where records != expected[model] ?? [:] {
            throw Wrong("the records of \(model) differ from the commits")
        }
        StoreVictim.say("count \(found.records.values.reduce(0) { $0 + $1.count })")
        StoreVictim.say("head \(found.head)")
        StoreVictim.say("hash \(found.hash)")
        StoreVictim.say("numbers \(numbers.map(String.init).joined(separator: " "))")
    }

    private struct Contents: Equatable, CustomStringConvertible {
        var records: [String: [String: Record]] = [:]
        var head: SequenceNumber
        var sequence: SequenceNumber
        var hash: StateHash

        var description: String { "\(records.mapValues(\.count)) at \(sequence) of \(head), \(hash)" }
    }

    /// Opens the store, reads everything, closes the store and checks its log.
    private func look(_ adapter: AdapterFactory, _ collector: Collector? = nil) async throws -> Contents {
        let store = try await open(adapter, collector)
        let contents: Result<Contents, any Error>
        do { contents = .success(try await read(store)) } catch { contents = .failure(error) }
        try await store.close()
        let log = try await StoreFiles.verifyLog(at: directory)
        // Damage of the log is reported first, because it may be the cause of other errors.
        if let damage = log.damaged.first {
            throw DataStoreError(
                .logDamaged, "Event \(damage.sequence): \(damage.reason).", recovery: "None is needed.")
        }
        return try contents.get()
    }

    private func read(_ store: DataStore) async throws -> Contents {
        let schema = try store.schema.declared
        let contents = try await store.read { snapshot in
            var contents = Contents(
                head: try store.head.sequence, sequence: try snapshot.sequence, hash: try snapshot.stateHash())
            for model in schema.models {
                let records = try snapshot.fetch(Record.all(of: model.name))
                let count = try snapshot.count(Record.all(of: model.name))
                guard count == records.count else { throw Wrong("count differs from fetch") }
                try checkIndexes(of: model, records, snapshot)
                contents.records[model.name] = Dictionary(uniqueKeysWithValues: records.map { ($0.idText, $0) })
            }
            return contents
        }
        guard contents.sequence == contents.head else { throw Wrong("rows end before the log: \(contents)") }
        return contents
    }

    private func open(_ adapter: AdapterFactory, _ collector: Collector?) async throws -> DataStore {
        let configuration = DataStoreConfiguration(projections: collector.map { [$0] } ?? [])
        do {
            return try await DataStore.open(at: directory, adapter: adapter, configuration: configuration)
        } catch let error as DataStoreError where error.code == .notFound {
            return try await DataStore.open(
                at: directory, schema: workload.schema(version: 1), adapter: adapter, configuration: configuration)
        }
    }

    /// Checks that the first field of each index finds the same records as a scan of all records.
    private func checkIndexes(of model: ModelSchema, _ records: [Record], _ snapshot: StoreSnapshot) throws {
        for field in model.indexes.compactMap(\.fields.first) {
            for value in Set(records.compactMap { $0[field] }) {
                let found = try snapshot.fetch(Record.all(of: model.name).where(.field(field, .equal(value))))
                guard Set(found) == Set(records.filter { $0[field] == value }) else {
                    throw Wrong("the index on \(model.name).\(field) differs from the rows")
                }
            }
        }
    }

    /// The workload's commits that the log contains, each of them whole, and the resulting records.
    private func expectation(of commits: [[Change]]) throws -> ([Int], [String: [String: Record]]) {
        var numbers: [Int] = []
        var records: [String: [String: Record]] = [:]
        for commit in commits {
            let number = try number(of: commit, after: numbers.last)
            let changes = workload.changes(number).filter { change in
                // Deleting a missing record makes no event. The record is missing if the commit that would have saved it
                // failed.
                if case .delete(let model, let id) = change { records[model]?[id] != nil } else { true }
            }
            guard changes == commit else {
                throw Wrong("commit \(number) is not whole: \(commit.count)")
            }
            if workload.isSequential, let last = numbers.last, number <= last {
                throw Wrong("commit \(number) follows commit \(last)")
            }
            numbers.append(number)
            for change in commit {
                switch change {
                case .save(let record): records[record.model, default: [:]][record.idText] = record
                case .delete(let model, let id): records[model]?[id] = nil
                }
            }
        }
        guard Set(numbers).count == numbers.count else { throw Wrong("the store has a commit twice: \(numbers)") }
        return (numbers, records)
    }

    private func number(of commit: [Change], after last: Int?) throws -> Int {
        for case .save(let record) in commit {
            if case .int(let number) = record["number"] { return Int(number) }
        }
        guard workload == .update else { throw Wrong("a commit without a number") }
        return (last ?? -1) + 1
    }
}

/// Collects every commit of a log while the log is replayed. It keeps no table.
private final class Collector: Projection {
    let name = "collector"
    let version: UInt32 = 1
    private let state = Mutex(State())

    private struct State {
        var commits: [[Change]] = []
        var last: (commit: UInt64, sequence: UInt64) = (0, 0)
    }

    /// The commits that change records. Commits that only change the schema are left out.
    var commits: [[Change]] { state.withLock { $0.commits.filter { !$0.isEmpty } } }

    func project(_ event: Event, into table: ProjectionTable) throws {
        let change: Change? =
            switch event.kind {
            case .saved: event.record.map { .save($0) }
            case .deleted: event.model.map { .delete(model: $0, id: event.recordID.text) }
            case .schemaChanged: nil
            default: throw Wrong("an event of kind \(event.kind)")
            }
        if change == nil, event.kind != .schemaChanged { throw Wrong("event \(event.sequence) does not decode") }
        try state.withLock { state in
            guard event.sequence.value == state.last.sequence + 1 else { throw Wrong("a gap before \(event.sequence)") }
            if event.commit.value != state.last.commit { state.commits.append([]) }
            if let change { state.commits[state.commits.count - 1].append(change) }
            state.last = (event.commit.value, event.sequence.value)
        }
    }
}

extension RecordID? {
    fileprivate var text: String {
        guard case .string(let text)? = self?.components.first else { return "" }
        return text
    }
}

extension Record {
    fileprivate var idText: String {
        guard case .string(let text)? = self["id"] else { return "" }
        return text
    }
}
