@_spi(Adapters) internal import TidelogCore
package import TidelogServer

/// Changes of many records of one model, which are made by a few statements in one transaction.
///
/// The changes have no names. They are made in their order, so that the last change of a record counts.
struct BulkChange: Sendable {
    /// The largest number of records that one statement writes.
    private static let statementLimit = 2_000
    /// The number of times that the changes are tried. Each time, another transaction came between.
    private static let attemptLimit = 20

    let changes: [RecordChange]

    /// Makes the changes.
    ///
    /// - Parameter skipsRefused: Whether the other changes are made if some are refused. Otherwise none is made.
    /// - Throws: ``PostgresFailure`` if the database itself fails. Then nothing is changed, unless the connection was lost.
    func make(_ connection: Connection, skipsRefused: Bool) throws -> BulkOutcome {
        do {
            return try attempts(connection, skipsRefused: skipsRefused, commits: true)
        } catch let failure as PostgresFailure where failure.isOfValues {
            guard changes.count > 1 else {
                var outcome = BulkOutcome()
                outcome.refused = [.init(index: 0, error: failure.asDataStoreError)]
                return outcome
            }
            return skipsRefused ? try divided(connection) : try refusal(connection)
        }
    }

    /// Makes both halves of the changes in transactions of their own, because the database refuses a value in one of them.
    private func divided(_ connection: Connection) throws -> BulkOutcome {
        let middle = changes.count / 2
        var outcome = try BulkChange(changes: Array(changes[..<middle])).make(connection, skipsRefused: true)
        let rest = try BulkChange(changes: Array(changes[middle...])).make(connection, skipsRefused: true)
        outcome.writtenCount += rest.writtenCount
        outcome.keptCount += rest.keptCount
        outcome.place = rest.place ?? outcome.place
        outcome.refused += rest.refused.map { .init(index: $0.index + middle, error: $0.error) }
        return outcome
    }

    /// Finds the first change whose values the database refuses, and makes none.
    private func refusal(_ connection: Connection) throws -> BulkOutcome {
        var (low, high) = (0, changes.count)
        var error = DataStoreError.damagedRows("The database refused a value, and then no longer.")
        // All changes before `low` are accepted together, and the changes before `high` are not.
        while low < high {
            let middle = (low + high) / 2
            do {
                _ = try BulkChange(changes: Array(changes[...middle]))
                    .attempts(connection, skipsRefused: false, commits: false)
                low = middle + 1
            } catch let failure as PostgresFailure where failure.isOfValues {
                (high, error) = (middle, failure.asDataStoreError)
            }
        }
        var outcome = BulkOutcome()
        outcome.refused = [.init(index: low, error: error)]
        return outcome
    }

    private func attempts(_ connection: Connection, skipsRefused: Bool, commits: Bool) throws -> BulkOutcome {
        for number in 1... {
            do {
                let outcome = try attempt(connection, skipsRefused: skipsRefused)
                let isKept = commits && outcome.writtenCount > 0 && (skipsRefused || outcome.refused.isEmpty)
                _ = try connection.run(.prepared(isKept ? "COMMIT" : "ROLLBACK"))
                return outcome
            } catch let failure as PostgresFailure {
                guard !failure.isConnectionLost else { throw failure }
                _ = try connection.run(.prepared("ROLLBACK"))
                guard failure.isLostRace, number < Self.attemptLimit else { throw failure }
            } catch {
                _ = try? connection.run(.prepared("ROLLBACK"))
                throw error
            }
        }
        preconditionFailure("the last attempt ends the loop")
    }

    /// Begins a transaction and makes the changes in it.
    private func attempt(_ connection: Connection, skipsRefused: Bool) throws -> BulkOutcome {
        var outcome = BulkOutcome()
        _ = try connection.run(.prepared("BEGIN"))
        for part in parts {
            let read = try records(of: part, connection)
            var writes: [(change: RecordChange, write: RecordChange.Write)] = []
            for index in part {
                do {
                    switch try changes[index].step(on: read[changes[index].key]) {
                    case .done: outcome.keptCount += 1
                    case .write(let write): writes.append((changes[index], write))
                    }
                } catch {
                    outcome.refused.append(.init(index: index, error: error))
                    guard skipsRefused else { return outcome }
                }
            }
            // All transactions create records in the same order, so that no two of them wait for each other.
            writes.sort { $0.change.key.lexicographicallyPrecedes($1.change.key) }
            if let place = try write(writes, connection) { outcome.place = place }
            outcome.writtenCount += writes.count
        }
        return outcome
    }

    /// The changes by their indices, in parts that change each record at most once.
    private var parts: [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = 0
        var keys: Set<[UInt8]> = []
        for (index, change) in changes.enumerated() {
            if index - start == Self.statementLimit || !keys.insert(change.key).inserted {
                parts.append(start..<index)
                start = index
                keys = [change.key]
            }
        }
        return start < changes.count ? parts + [start..<changes.count] : parts
    }

    /// Locks and reads the records of a part.
    private func records(of part: Range<Int>, _ connection: Connection) throws -> [[UInt8]: Record] {
        guard let table = changes.first?.table else { return [:] }
        var keys = ParameterArray(of: .bytes([]))
        for change in changes[part] { keys.append(.bytes(change.key)) }
        let key = DatabaseNames.key
        let found = try connection.run(
            .prepared(table.selection + " WHERE \(key) = ANY($1) ORDER BY \(key) FOR UPDATE", [keys.parameter]))
        let reader = RowReader(table)
        var records: [[UInt8]: Record] = [:]
        for row in 0..<found.count {
            let (key, record) = try reader.withRow(found, row) { key, row in
                (Array(key), try Record(row, layout: table.model))
            }
            records[key] = record
        }
        return records
    }

    /// Writes records, and returns the place of the last change.
    private func write(
        _ writes: [(change: RecordChange, write: RecordChange.Write)], _ connection: Connection
    ) throws -> UInt64? {
        guard let first = writes.first?.change else { return nil }
        var statements: [SQLStatement] = [.prepared(DatabaseSchema.sharedWriteLock)]
        var counts: [Int] = []
        for isUpdate in [false, true] {
            var statement = BulkStatement(table: first.table, isUpdate: isUpdate)
            for (change, write) in writes where (write.before != nil) == isUpdate {
                try statement.add(write, key: change.key)
            }
            guard statement.count > 0 else { continue }
            statements.append(statement.statement(clock: first.clock))
            counts.append(statement.count)
        }
        let written = try connection.transaction(statements).dropFirst()
        var place: Int64?
        for (result, count) in zip(written, counts) {
            let changedCount = try result.int(0, 0)
            precondition(changedCount == Int64(count), "locked records have the versions that were read")
            place = max(place ?? 0, try result.int(0, 1) ?? 0)
        }
        return place.map { UInt64(bitPattern: $0) }
    }
}

extension PostgresVersionedStore {
    /// Changes records of one model in one transaction, by a few statements. Subscribers and syncs see these changes as any
    /// others.
    ///
    /// - Parameters:
    ///   - changes: Changes without names.
    ///   - skipsRefused: Whether the other changes are made if some are refused. Otherwise none is made.
    /// - Throws: ``DataStoreError`` if the database itself failed.
    package func changeTogether(
        _ model: String, _ changes: [RequestedChange], skipsRefused: Bool
    ) async throws -> BulkOutcome {
        precondition(
            changes.allSatisfy { $0.model == model && $0.name == nil }, "the changes are of one model and have no names"
        )
        let bulk = BulkChange(changes: try recordChanges(changes))
        let outcome = try await pool.run(.never) { try bulk.make($0, skipsRefused: skipsRefused) }
        removal.runIfDue()
        return outcome
    }
}
