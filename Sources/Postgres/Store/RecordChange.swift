@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
internal import TidelogServer

/// One change of one record: the statements that read the record, the caller's decision, and the statement that writes the
/// result. ``ChangeBatch`` makes changes.
struct RecordChange: Sendable {
    let table: RecordTable
    let change: RequestedChange
    /// The time in milliseconds before which the names of changes no longer count.
    let horizon: Int64
    /// The current time in milliseconds; `nil` for the database's own clock.
    let clock: Int64?
    /// The kind of the API, which says whether a deletion leaves a tombstone.
    let kind: APIKind
    /// The encoded primary key.
    let key: [UInt8]

    init(table: RecordTable, change: RequestedChange, horizon: Int64, clock: Int64?, kind: APIKind) {
        (self.table, self.change, self.horizon, self.clock, self.kind) = (table, change, horizon, clock, kind)
        key = table.key(of: change.id)
    }

    // MARK: Reading

    /// The statements that read what the decision needs: the record, and the answer to an earlier change with the same name.
    /// The record stays locked until the transaction has ended.
    var reading: [SQLStatement] {
        let record = table.lockedSelection
        let answer = change.name.map { name in
            SQLStatement.prepared(
                "SELECT model, subject, content, key, at FROM \(DatabaseSchema.own("answer")) WHERE name = $1",
                [.text(name.text)])
        }
        return [.prepared(record, [.bytes(key)])] + (answer.map { [$0] } ?? [])
    }

    /// The next step of a change.
    enum Step {
        /// Nothing is left to do.
        case done(StoredChange.Outcome)
        case write(Write)
    }

    /// A record to write in place of `before`.
    struct Write {
        var record: Record
        let before: Record?
        let kind: StoredChange.Kind
    }

    /// Lets the caller decide.
    ///
    /// - Parameter read: The results of ``reading``.
    func step(after read: ArraySlice<SQLResult>, _ connection: Connection) throws -> Step {
        guard let found = read.first else { preconditionFailure("the record was asked for") }
        if let name = change.name, let answer = read.dropFirst().first, answer.count == 1 {
            if try answer.int(0, 4) ?? 0 >= horizon { return .done(try repeated(name, answer, connection)) }
            _ = try connection.run(
                .prepared(
                    "DELETE FROM \(DatabaseSchema.own("answer")) WHERE name = $1 AND at < $2",
                    [.text(name.text), .int(horizon)]))
        }
        return try step(on: found.count == 1 ? try RowReader(table).record(found, 0) : nil)
    }

    /// Lets the caller decide about the record `before`.
    func step(on before: Record?) throws -> Step {
        switch try change.decide(before) {
        case .keep: return .done(StoredChange.Outcome(kind: .kept, record: before))
        case .save(var record):
            record[Metadata.deleted] = nil
            return .write(try write(record, before))
        case .delete(var record):
            record[Metadata.deleted] = .bool(true)
            return .write(try write(record, before))
        }
    }

    /// The outcome of a change whose name was written before.
    private func repeated(
        _ name: StoredChange.Name, _ answer: SQLResult, _ connection: Connection
    ) throws -> StoredChange.Outcome {
        guard answer.bytes(0, 0)?.elementsEqual(table.model.name.utf8) == true,
            answer.bytes(0, 1)?.elementsEqual(name.subject.utf8) == true,
            let content = answer.bytes(0, 2), let key = answer.bytes(0, 3),
            // Answers of the earliest servers, which were copied from a store, have no content.
            content.isEmpty || content.elementsEqual(name.content.utf8)
        else { throw StoredChange.NameTaken() }
        let found = try connection.run(
            .prepared(table.selection + " WHERE \(DatabaseNames.key) = $1", [.bytes(key)]))
        let record = found.count == 1 ? try RowReader(table).record(found, 0) : nil
        return StoredChange.Outcome(kind: .repeated, record: record)
    }

    private func write(_ decided: Record, _ before: Record?) throws -> Write {
        var record = decided
        try record.requireNoZeroCharacters()
        record[Metadata.version] = .int((before?.version ?? 0) + 1)
        // The statement sets the time.
        record[Metadata.lastChangedAt] = .int(0)
        let kind: StoredChange.Kind =
            record.isTombstone ? .deleted : before.map { !$0.isTombstone } ?? false ? .updated : .created
        return Write(record: record, before: before, kind: kind)
    }

    // MARK: Writing

    /// The statement that writes a record. It fails if a record to create exists.
    func statement(for write: Write) throws -> SQLStatement {
        let row = try EncodedRow(stored: write.record, layout: table.model)
        var values: [SQLParameter] = [
            .bytes(key), clock.map { .int($0) } ?? SQLParameter.int(0).missing, .text(write.kind.rawValue),
        ]
        if let before = write.before { values.append(.int(before.version)) }
        if let name = change.name { values += [.text(name.text), .text(name.subject), .text(name.content)] }
        if let fields = change.selected {
            var writer = JSONWriter()
            writer.beginArray()
            for field in fields.sorted() { writer.string(field) }
            writer.endArray()
            values.append(.json(writer.bytes))
        }
        let first = values.count + 1
        var statement = WriteStatement(
            table: table, kind: write.before == nil ? .insertion : .update, isNamed: change.name != nil,
            isSelected: change.selected != nil)
        if write.before != nil, write.record.isTombstone, !kind.leavesTombstones {
            statement.kind = .removal
        } else {
            values += try row.withRow { _, row in try table.parameters(of: row) }
        }
        return .prepared(statement.text(first: first), values)
    }

    /// The outcome of a write.
    func outcome(of write: Write, _ written: SQLResult?) throws -> StoredChange.Outcome {
        guard let written, written.count == 1, let time = try written.int(0, 0), let place = try written.int(0, 1)
        else { preconditionFailure("a locked record has the version that was read") }
        var record = write.record
        record[Metadata.lastChangedAt] = .int(time)
        return StoredChange.Outcome(kind: .written, record: record, place: UInt64(bitPattern: place))
    }
}

extension RecordTable {
    /// The statement that reads a record by its key and locks it until the transaction has ended.
    var lockedSelection: String { selection + " WHERE \(DatabaseNames.key) = $1 FOR UPDATE" }

    /// The encoded primary key of the record with an id.
    func key(of id: RecordID) -> [UInt8] {
        var key = Record(model: model.name, values: [:])
        for (field, value) in zip(model.keyFields, id.components) { key[field.name] = value }
        return PagePlace(of: key, in: .byKey, model: model.schema).bytes
    }
}

extension Record {
    /// - Throws: ``DataStoreError`` if a text contains U+0000, which PostgreSQL cannot store.
    func requireNoZeroCharacters() throws {
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
