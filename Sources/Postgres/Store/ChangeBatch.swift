@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// Changes of different records that are made in one transaction, and so with one sync.
///
/// A change that is refused writes nothing, and the other changes are made. If a statement fails, the changes are made again in
/// transactions of their own, so that no change fails because of another one.
struct ChangeBatch: Sendable {
    /// The largest number of changes in one transaction.
    static let limit = 100
    /// The number of times that several changes are tried together.
    private static let attemptLimit = 3
    /// The number of times that one change is tried. Each time, another change of the same record has succeeded.
    private static let loneAttemptLimit = 1_000
    /// The number of milliseconds for which several changes wait for a locked record before they are made without each other.
    private static let lockTime = 500

    let changes: [RecordChange]

    /// Splits changes into parts that a batch can have: each part changes a record at most once, because its decisions read the
    /// records before it writes them.
    static func parts(of changes: [RecordChange]) -> [[RecordChange]] {
        var parts: [[RecordChange]] = []
        var claims: Set<RecordChange.Claim> = []
        for change in changes {
            if let count = parts.last?.count, count < limit, claims.isDisjoint(with: change.claims) {
                parts[parts.count - 1].append(change)
            } else {
                parts.append([change])
                claims = []
            }
            claims.formUnion(change.claims)
        }
        return parts
    }

    /// Makes the changes, and returns the outcome or the error of each.
    ///
    /// - Throws: ``PostgresFailure`` if the database itself fails. If the connection was lost, it is unknown which changes were
    ///   made; otherwise none was made.
    func make(_ connection: Connection) throws -> [Result<StoredChange.Outcome, any Error>] {
        guard changes.count > 1 else { return try changes.map { try Self.makeAlone($0, connection) } }
        for _ in 0..<Self.attemptLimit {
            do {
                if let results = try attempt(connection) { return results }
            } catch let failure as PostgresFailure where failure.isOfValues {
                break
            }
        }
        return try changes.map { try Self.makeAlone($0, connection) }
    }

    /// Makes a change in a transaction of its own.
    private static func makeAlone(
        _ change: RecordChange, _ connection: Connection
    ) throws -> Result<StoredChange.Outcome, any Error> {
        let batch = ChangeBatch(changes: [change])
        do {
            for _ in 0..<loneAttemptLimit {
                if let result = try batch.attempt(connection)?.first { return result }
            }
            return .failure(PostgresFailure(sqlState: "40001", message: "").asDataStoreError)
        } catch let failure as PostgresFailure where !failure.isConnectionLost {
            return .failure(failure.asDataStoreError)
        }
    }

    /// Tries to make all changes in one transaction. The result is `nil` if another transaction came between.
    private func attempt(_ connection: Connection) throws -> [Result<StoredChange.Outcome, any Error>]? {
        do {
            let decided = try decide(connection)
            let statements = decided.compactMap { (try? $0.get())?.statement }
            guard !statements.isEmpty else {
                _ = try connection.run(.prepared("ROLLBACK"))
                return try results(decided, [])
            }
            let written = try connection.transaction(
                [.prepared(DatabaseSchema.sharedWriteLock)] + statements + [.prepared("COMMIT")])
            return try results(decided, written.dropFirst())
        } catch let failure as PostgresFailure {
            guard !failure.isConnectionLost else { throw failure }
            _ = try connection.run(.prepared("ROLLBACK"))
            guard failure.isLostRace else { throw failure }
            return nil
        }
    }

    /// The decision about a change, and the statement that carries it out if there is something to write.
    private struct Decided {
        let step: RecordChange.Step
        var statement: SQLStatement?
    }

    /// Begins the transaction, locks and reads the records, and lets the callers decide in the order of their changes.
    private func decide(_ connection: Connection) throws -> [Result<Decided, any Error>] {
        // All batches lock records in the same order, so that none waits for another one that waits for it.
        let order = changes.indices.sorted { changes[$0].lockOrder < changes[$1].lockOrder }
        var statements: [SQLStatement] = [.prepared("BEGIN")]
        if changes.count > 1 { statements.append(.prepared("SET LOCAL lock_timeout = \(Self.lockTime)")) }
        var ranges = [Range<Int>](repeating: 0..<0, count: changes.count)
        for index in order {
            let reading = changes[index].reading
            ranges[index] = statements.count..<(statements.count + reading.count)
            statements += reading
        }
        let read = try connection.transaction(statements)
        return try zip(changes, ranges).map { change, range in
            do {
                let step = try change.step(after: read[range], connection)
                guard case .write(let write) = step else { return .success(Decided(step: step)) }
                let statement = try change.statement(for: write)
                return .success(Decided(step: step, statement: statement))
            } catch let failure as PostgresFailure {
                throw failure
            } catch {
                return .failure(error)
            }
        }
    }

    /// - Parameter written: The results of the statements of the changes that have one.
    private func results(
        _ decided: [Result<Decided, any Error>], _ written: ArraySlice<SQLResult>
    ) throws -> [Result<StoredChange.Outcome, any Error>] {
        var written = written
        return try zip(changes, decided).map { change, decided in
            switch decided.map(\.step) {
            case .failure(let error): return .failure(error)
            case .success(.done(let outcome)): return .success(outcome)
            case .success(.write(let write)):
                return .success(try change.outcome(of: write, written.popFirst()))
            }
        }
    }
}

extension RecordChange {
    /// A record, or the name of a change, that one change needs for itself.
    struct Claim: Hashable {
        private let bytes: [UInt8]

        fileprivate init(record: [UInt8]) { bytes = [0] + record }
        fileprivate init(name: String) { bytes = [1] + name.utf8 }
    }

    /// The claims of the change. Changes with the same claim are made one after the other.
    var claims: [Claim] {
        [Claim(record: Array(table.model.name.utf8) + [0] + key)] + (change.name.map { [Claim(name: $0.text)] } ?? [])
    }

    /// A value that sorts changes in the order in which their records are locked.
    fileprivate var lockOrder: LockOrder { LockOrder(model: Array(table.model.name.utf8), key: key) }

    fileprivate struct LockOrder: Comparable {
        let model: [UInt8]
        let key: [UInt8]

        static func < (left: LockOrder, right: LockOrder) -> Bool {
            left.model == right.model
                ? left.key.lexicographicallyPrecedes(right.key) : left.model.lexicographicallyPrecedes(right.model)
        }
    }
}
