@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// One change of one record: reads the record, lets the caller decide, and writes the result if the record is still the same.
struct RecordChange: Sendable {
    let table: RecordTable
    let change: RequestedChange
    /// The time in milliseconds before which the names of changes no longer count.
    let horizon: Int64
    /// The current time in milliseconds; `nil` for the database's own clock.
    let clock: Int64?

    /// The number of times that a lost race is repeated. Each time, another change of the same record has succeeded.
    private static let attemptLimit = 1_000

    /// Makes the change.
    ///
    /// - Throws: ``PostgresFailure``; ``StoredChange.NameTaken``; ``DataStoreError``; the errors of the caller's decision.
    func make(_ connection: Connection) throws -> StoredChange.Outcome {
        for _ in 0..<Self.attemptLimit {
            if let outcome = try attempt(connection) { return outcome }
        }
        throw PostgresFailure(sqlState: "40001", message: "")
    }

    /// Tries to make the change. The result is `nil` if another change came between.
    private func attempt(_ connection: Connection) throws -> StoredChange.Outcome? {
        let key = try key(of: change.id)
        let read = try connection.transaction(
            [.prepared(table.selection + " WHERE \(DatabaseNames.key) = $1", [.bytes(key)])] + answerStatement)
        if let name = change.name, read.count == 2, read[1].count == 1 {
            if try read[1].int(0, 4) ?? 0 >= horizon { return try repeated(name, read[1], connection) }
            _ = try connection.run(
                .prepared(
                    "DELETE FROM \(DatabaseSchema.own("answer")) WHERE name = $1 AND at < $2",
                    [.text(name.text), .int(horizon)]))
        }
        let before = read[0].count == 1 ? try RowReader(table).record(read[0], 0) : nil
        switch try change.decide(before) {
        case .keep: return StoredChange.Outcome(kind: .kept, record: before)
        case .save(var record):
            record[Metadata.deleted] = nil
            return try write(record, before, key, connection)
        case .delete(var record):
            record[Metadata.deleted] = .bool(true)
            return try write(record, before, key, connection)
        }
    }

    private func key(of id: RecordID) throws -> [UInt8] {
        var key = Record(model: table.model.name, values: [:])
        for (field, value) in zip(table.model.keyFields, id.components) { key[field.name] = value }
        return PagePlace(of: key, in: .byKey, model: table.model.schema).bytes
    }

    // MARK: Names

    private var answerStatement: [SQLStatement] {
        guard let name = change.name else { return [] }
        return [
            .prepared(
                "SELECT model, subject, content, key, at FROM \(DatabaseSchema.own("answer")) WHERE name = $1",
                [.text(name.text)])
        ]
    }

    /// The outcome of a change whose name was written before.
    private func repeated(
        _ name: StoredChange.Name, _ answer: SQLResult, _ connection: Connection
    ) throws -> StoredChange.Outcome {
        guard answer.bytes(0, 0)?.elementsEqual(table.model.name.utf8) == true,
            answer.bytes(0, 1)?.elementsEqual(name.subject.utf8) == true,
            answer.bytes(0, 2)?.elementsEqual(name.content.utf8) == true, let key = answer.bytes(0, 3)
        else { throw StoredChange.NameTaken() }
        let found = try connection.run(
            .prepared(table.selection + " WHERE \(DatabaseNames.key) = $1", [.bytes(key)]))
        let record = found.count == 1 ? try RowReader(table).record(found, 0) : nil
        return StoredChange.Outcome(kind: .repeated, record: record)
    }

    // MARK: Writing

    private func write(
        _ decided: Record, _ before: Record?, _ key: [UInt8], _ connection: Connection
    ) throws -> StoredChange.Outcome? {
        var record = decided
        try record.requireNoZeroCharacters()
        record[Metadata.version] = .int((before?.version ?? 0) + 1)
        // The statement sets the time.
        record[Metadata.lastChangedAt] = .int(0)
        let row = try EncodedRow(stored: record, layout: table.model)
        let kind: StoredChange.Kind =
            record.isTombstone ? .deleted : before.map { !$0.isTombstone } ?? false ? .updated : .created
        var values: [SQLParameter] = [
            .bytes(key), clock.map { .int($0) } ?? SQLParameter.int(0).missing, .text(kind.rawValue),
        ]
        if before != nil { values.append(.int(before?.version ?? 0)) }
        if let name = change.name { values += [.text(name.text), .text(name.subject), .text(name.content)] }
        let first = values.count + 1
        values += try row.withRow { _, row in try table.parameters(of: row) }
        let text = WriteStatement(table: table, isUpdate: before != nil, isNamed: change.name != nil).text(first: first)
        let results: [SQLResult]
        do {
            results = try connection.transaction([.prepared(DatabaseSchema.sharedWriteLock), .prepared(text, values)])
        } catch let failure as PostgresFailure where failure.isLostRace {
            return nil
        }
        guard let written = results.last, written.count == 1, let time = try written.int(0, 0),
            let place = try written.int(0, 1)
        else { return nil }
        record[Metadata.lastChangedAt] = .int(time)
        return StoredChange.Outcome(kind: .written, record: record, place: UInt64(bitPattern: place))
    }
}

/// The text of the statement that writes a record, the name of its change and the change for subscribers, or nothing.
private struct WriteStatement {
    let table: RecordTable
    let isUpdate: Bool
    let isNamed: Bool

    /// The time in milliseconds: not before the last sync that began, and so not before the lock of this transaction.
    private static let time = """
        greatest(coalesce($2::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), \
        (SELECT last_value FROM \(DatabaseSchema.own("time"))))
        """

    /// The text, whose row parameters begin with `$first`.
    ///
    /// The first parameters are the key, the time, the kind of the change, the version of the stored record if there is one,
    /// and the name, the subject and the content if the change has a name.
    func text(first: Int) -> String {
        let name = isUpdate ? 5 : 4
        let answered =
            isNamed
            ? """
            , answered AS (INSERT INTO \(DatabaseSchema.own("answer"))(name, model, subject, content, key, at) \
            SELECT $\(name)::text, \(literal(table.model.name)), $\(name + 1)::text, $\(name + 2)::text, \
            \(DatabaseNames.key), \(lastChangedAt) FROM changed)
            """ : ""
        let own = table.ownColumns.map(literal).joined(separator: ", ")
        return """
            WITH changed AS (\(isUpdate ? update(first: first) : insertion(first: first)) RETURNING *)\(answered), \
            told AS (INSERT INTO \(DatabaseSchema.own("change"))(model, kind, record) \
            SELECT \(literal(table.model.name)), $3::text, to_jsonb(changed) - ARRAY[\(own)]::text[] FROM changed \
            RETURNING sequence) SELECT changed.\(lastChangedAt), told.sequence FROM changed, told
            """
    }

    private func update(first: Int) -> String {
        let setting = table.assignments(first: first).map { column, name, value in
            "\(name) = \(column.field.name == Metadata.lastChangedAt ? "greatest(\(Self.time), stored.\(name))" : value)"
        }
        return """
            UPDATE \(table.name) AS stored SET \(setting.joined(separator: ", ")) WHERE \(DatabaseNames.key) = $1 \
            AND \(DatabaseNames.quoted(Metadata.version)) = $4
            """
    }

    private func insertion(first: Int) -> String {
        let assignments = table.assignments(first: first)
        let names = [DatabaseNames.key] + assignments.map(\.name)
        let values = ["$1"] + assignments.map { $0.column.field.name == Metadata.lastChangedAt ? Self.time : $0.value }
        return """
            INSERT INTO \(table.name)(\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", "))) \
            ON CONFLICT (\(DatabaseNames.key)) DO NOTHING
            """
    }

    private var lastChangedAt: String { DatabaseNames.quoted(Metadata.lastChangedAt) }

    /// A name of the schema as a literal. It has no quotation mark.
    private func literal(_ name: String) -> String { "'\(name)'" }
}

extension Record {
    /// - Throws: ``DataStoreError`` if a text contains U+0000, which PostgreSQL cannot store.
    fileprivate func requireNoZeroCharacters() throws {
        for (name, value) in values where value.hasZeroCharacter {
            var error = DataStoreError(
                .invalidValue, "\(model).\(name) contains the character U+0000, which PostgreSQL cannot store.",
                model: model, recovery: "Remove the character from the text.")
            error.field = name
            throw error
        }
    }
}

extension FieldValue {
    fileprivate var hasZeroCharacter: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .embedded(let values): values.values.contains { $0.hasZeroCharacter }
        case .list(let elements): elements.contains { $0?.hasZeroCharacter ?? false }
        default: false
        }
    }
}
