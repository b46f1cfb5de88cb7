@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// The text of the statement that writes a record, the name of its change and the change for subscribers, or nothing.
struct WriteStatement {
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
            INSERT INTO \(table.name)(\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
            """
    }

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
                    WriteStatement(table: table, isUpdate: false, isNamed: false).text(first: 4), "COMMIT",
                ],
            ], parameters: ["~key", "time", "kind"] + fields)
    }
}
