@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// The text of the statement that writes a record, the name of its change and the change for subscribers, or nothing.
struct WriteStatement {
    enum Kind: Sendable {
        case insertion, update
        /// The row is removed, and the change tells of a tombstone.
        case removal
    }

    let table: RecordTable
    var kind: Kind
    var isNamed = false
    /// Whether the fields that the mutation selected are written.
    var isSelected = false

    /// The time in milliseconds: not before the last sync that began, and so not before the lock of this transaction.
    private static let time = currentTime(clock: "$2")

    /// The time of a change, if `clock` is the parameter with the time that replaces the clock of the database.
    static func currentTime(clock: String) -> String {
        """
        greatest(coalesce(\(clock)::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), \
        (SELECT last_value FROM \(DatabaseSchema.own("time"))))
        """
    }

    /// The text, whose row parameters begin with `$first`.
    ///
    /// The first parameters are the key, the time, the kind of the change, the version of the stored record if there is one,
    /// the name, the subject and the content if the change has a name, and the selected fields if there are some.
    func text(first: Int) -> String {
        let name = kind == .insertion ? 4 : 5
        let selected = isSelected ? "$\(first - 1)::jsonb" : "NULL"
        let answered =
            isNamed
            ? """
            , answered AS (INSERT INTO \(DatabaseSchema.own("answer"))(name, model, subject, content, key, at) \
            SELECT $\(name)::text, \(literal(table.model.name)), $\(name + 1)::text, $\(name + 2)::text, \
            \(DatabaseNames.key), \(time) FROM changed)
            """ : ""
        let own = (table.ownColumns + ["~time"]).map(literal).joined(separator: ", ")
        return """
            WITH changed AS (\(change(first: first)))\(answered), \
            told AS (INSERT INTO \(DatabaseSchema.own("change"))(model, kind, record, selected) \
            SELECT \(literal(table.model.name)), $3::text, to_jsonb(changed) - ARRAY[\(own)]::text[]\(tombstone), \
            \(selected) FROM changed RETURNING sequence) SELECT \(time), told.sequence FROM changed, told
            """
    }

    private func change(first: Int) -> String {
        switch kind {
        case .insertion: insertion(first: first) + " RETURNING *"
        case .update: update(first: first) + " RETURNING *"
        case .removal:
            """
            DELETE FROM \(table.name) WHERE \(DatabaseNames.key) = $1 AND \(version) = $4 \
            RETURNING *, greatest(\(Self.time), \(lastChangedAt)) AS "~time"
            """
        }
    }

    /// The time of the change, in a query of the changed row.
    private var time: String { "changed." + (kind == .removal ? "\"~time\"" : lastChangedAt) }

    /// The end of an expression that makes the JSON of a removed row a tombstone; otherwise empty.
    private var tombstone: String {
        guard kind == .removal else { return "" }
        return " || jsonb_build_object(\(literal(Metadata.version)), changed.\(version) + 1, "
            + "\(literal(Metadata.deleted)), true, \(literal(Metadata.lastChangedAt)), \(time))"
    }

    private func update(first: Int) -> String {
        let setting = table.assignments(first: first).map { column, name, value in
            "\(name) = \(column.field.name == Metadata.lastChangedAt ? "greatest(\(Self.time), stored.\(name))" : value)"
        }
        return """
            UPDATE \(table.name) AS stored SET \(setting.joined(separator: ", ")) WHERE \(DatabaseNames.key) = $1 \
            AND \(version) = $4
            """
    }

    private func insertion(first: Int) -> String {
        let assignments = table.assignments(first: first)
        let names = [DatabaseNames.key] + assignments.map(\.name)
        let values = ["$1"] + assignments.map { $0.column.field.name == Metadata.lastChangedAt ? Self.time : $0.value }
        return """
            INSERT INTO \(table.name)(\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
            """
    }

    private var version: String { DatabaseNames.quoted(Metadata.version) }
    private var lastChangedAt: String { DatabaseNames.quoted(Metadata.lastChangedAt) }

    /// A name of the schema as a literal. It has no quotation mark.
    private func literal(_ name: String) -> String { "'\(name)'" }
}

extension PostgresVersionedStore {
    /// The statements that create one record whose change has no name, for comparisons with other programs.
    package struct CreationStatements: Sendable {
        /// The texts of the statements. The statements of each transaction are sent together.
        package let transactions: [[String]]
        /// The subjects of the parameters `$1`, `$2` and so on: the key, the time, the kind of the change, and the fields.
        package let parameters: [String]
    }

    /// The statements that create a record of `model`.
    ///
    /// - Throws: ``DataStoreError`` if there is no such model.
    package func creationStatements(of model: String) throws -> CreationStatements {
        let table = try table(model)
        let fields = table.columns.filter { $0.storage != .json }.flatMap { column in
            [column.field.name] + (column.instant == nil ? [] : [DatabaseNames.instant(column.field.name)])
        }
        return CreationStatements(
            transactions: [
                ["BEGIN", table.lockedSelection],
                [
                    DatabaseSchema.sharedWriteLock,
                    WriteStatement(table: table, kind: .insertion).text(first: 4), "COMMIT",
                ],
            ], parameters: ["~key", "time", "kind"] + fields)
    }
}
