@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// Creates and changes the tables of a database for a schema.
struct DatabaseSchema {
    /// The number of the format of the server's own tables.
    private static let format = "1"
    /// The numbers of the advisory locks, which begin with the letters `tdlg`.
    private static let lockSpace = 0x7464_6C67
    /// The lock of a process that changes tables.
    static let changeLock = "SELECT pg_advisory_xact_lock(\(lockSpace), 1)"
    /// The lock that each writer shares until its transaction has ended, and that the beginning of a sync takes alone.
    static let sharedWriteLock = "SELECT pg_advisory_xact_lock_shared(\(lockSpace), 2)"
    static let writeLock = "SELECT pg_advisory_xact_lock(\(lockSpace), 2)"
    /// The same lock, until the connection is closed.
    static let lastingWriteLock = "SELECT pg_advisory_lock(\(lockSpace), 2)"

    let tables: [RecordTable]
    /// The document of the schema.
    let source: String
    /// The kind of the API.
    var kind = APIKind.versioned
    /// The identity of the place from which everything is about to be copied; `nil` if a server uses the database.
    var copiedFrom: String?

    /// The server's own table called `name`.
    static func own(_ name: String) -> String { "\(DatabaseNames.server).\(name)" }

    /// Makes the tables fit, in one transaction. Two processes that start together do this one after the other. In a database
    /// that takes no changes, the tables must fit already.
    ///
    /// - Parameter admit: Gets the document with which the database was last served, if it is another one. If it throws,
    ///   nothing is changed.
    /// - Throws: ``PostgresFailure``; ``DataStoreError``; the errors of `admit`.
    func prepare(_ connection: Connection, admit: (_ source: String) throws -> Void = { _ in }) throws {
        _ = try connection.transaction([SQLStatement("BEGIN"), SQLStatement(Self.changeLock)])
        do {
            try check(connection)
            let former = try Self.fact("source", connection)
            let formerKind = try Self.fact("api", connection)
            try kind.requireServed(before: formerKind, isUsed: former != nil)
            if let former, former != source { try admit(former) }
            let statements = try ownTables(connection) + recordTables(connection)
            if try Self.isReadOnly(connection) {
                guard statements.isEmpty, former == source else { throw Self.isUnprepared }
                _ = try connection.run(SQLStatement("ROLLBACK"))
                return
            }
            if !statements.isEmpty { _ = try connection.transaction(statements.map { SQLStatement($0) }) }
            _ = try connection.transaction([
                SQLStatement(
                    """
                    INSERT INTO \(Self.own("fact"))(name, text) \
                    SELECT * FROM (VALUES ('source', $1), ('api', $2), ('\(ServedFacts.copy)', $3)) AS facts(name, text) \
                    WHERE text IS NOT NULL \
                    ON CONFLICT (name) DO UPDATE SET text = excluded.text WHERE fact.text <> excluded.text
                    """,
                    [
                        .text(source), .text(kind.rawValue),
                        copiedFrom.map { .text($0) } ?? SQLParameter.text("").missing,
                    ]),
                SQLStatement("COMMIT"),
            ])
        } catch {
            _ = try? connection.run(SQLStatement("ROLLBACK"))
            throw error
        }
    }

    /// The text of a fact: the document with which the database was last served (`source`), or the kind of its API (`api`);
    /// `nil` if it is not known.
    static func fact(_ name: String, _ connection: Connection) throws -> String? {
        guard try exists(own("fact"), connection) else { return nil }
        let found = try connection.run(
            SQLStatement("SELECT text FROM \(own("fact")) WHERE name = $1", [.text(name)]))
        return found.count == 1 ? found.text(0, 0) : nil
    }

    /// Whether the database takes no changes, because it is a replica or was made read-only.
    private static func isReadOnly(_ connection: Connection) throws -> Bool {
        try connection.run(SQLStatement("SELECT current_setting('transaction_read_only') = 'on'")).bool(0, 0) ?? false
    }

    private static var isUnprepared: DataStoreError {
        DataStoreError(
            .readOnly, "The database takes no changes, and its tables do not fit the schema yet.",
            recovery: "Serve this schema with the primary first.")
    }

    private static func exists(_ table: String, _ connection: Connection) throws -> Bool {
        try connection.run(SQLStatement("SELECT to_regclass($1) IS NOT NULL", [.text(table)])).bool(0, 0) ?? false
    }

    private func check(_ connection: Connection) throws {
        let encoding = try connection.run(SQLStatement("SELECT current_setting('server_encoding')")).text(0, 0)
        guard encoding == "UTF8" else {
            throw DataStoreError(
                .configurationMismatch, "The database stores texts as \(encoding ?? "another encoding"), not as UTF8.",
                recovery: "Create the database with ENCODING 'UTF8'.")
        }
        guard try Self.exists(Self.own("fact"), connection) else { return }
        let found = try connection.run(
            SQLStatement("SELECT text FROM \(Self.own("fact")) WHERE name = 'format'"))
        guard found.count == 1, found.text(0, 0) == Self.format else {
            throw DataStoreError(
                .newerFormat, "The tables of the database were made by a newer version of Tidelog.",
                recovery: "Serve the database with that version or a newer one.")
        }
        if copiedFrom == nil, try Self.fact(ServedFacts.copy, connection) != nil { throw ServedFacts.isUnfinished }
    }

    // MARK: The server's own tables

    private func ownTables(_ connection: Connection) throws -> [String] {
        guard try !Self.exists(Self.own("fact"), connection) else { return try missingOwn(connection) }
        let existing = try connection.run(
            SQLStatement("SELECT nspname::text FROM pg_namespace WHERE nspname::text IN ('tidelog', 'tidelog_server')"))
        let names = Set((0..<existing.count).compactMap { existing.text($0, 0) })
        let schemas = [DatabaseNames.records, DatabaseNames.server].filter { !names.contains($0) }
        return schemas.map { "CREATE SCHEMA \($0)" } + [
            "CREATE TABLE \(Self.own("fact"))(name text COLLATE \"C\" PRIMARY KEY, text text, bytes bytea)",
            "INSERT INTO \(Self.own("fact"))(name, text) VALUES ('format', '\(Self.format)')",
            """
            CREATE TABLE \(Self.own("answer"))(name text COLLATE "C" PRIMARY KEY, model text NOT NULL, \
            subject text NOT NULL, content text NOT NULL, key bytea NOT NULL, at bigint NOT NULL)
            """,
            "CREATE INDEX answer_at ON \(Self.own("answer"))(at)",
            // A reader that begins looks for transactions, and then follows the numbers.
            """
            CREATE TABLE \(Self.own("change"))(transaction xid8 NOT NULL DEFAULT pg_current_xact_id(), \
            sequence bigint GENERATED ALWAYS AS IDENTITY, model text NOT NULL, kind text NOT NULL, \
            record jsonb NOT NULL, selected jsonb, at timestamptz NOT NULL DEFAULT clock_timestamp(), \
            PRIMARY KEY (transaction, sequence))
            """,
            changeIndex,
            // The time of the last sync that began. All processes see a new value at once, before its transaction ends.
            "CREATE SEQUENCE \(Self.own("time")) MINVALUE 0 START 0",
        ]
    }

    private var changeIndex: String { "CREATE INDEX change_sequence ON \(Self.own("change"))(sequence)" }

    /// The statements for the tables of an earlier server, which lack selected fields or the index of changes.
    private func missingOwn(_ connection: Connection) throws -> [String] {
        let column = try connection.run(
            SQLStatement(
                """
                SELECT 1 FROM information_schema.columns WHERE table_schema = '\(DatabaseNames.server)' \
                AND table_name = 'change' AND column_name = 'selected'
                """))
        return (column.count == 1 ? [] : ["ALTER TABLE \(Self.own("change")) ADD COLUMN selected jsonb"])
            + (try Self.exists(Self.own("change_sequence"), connection) ? [] : [changeIndex])
    }

    // MARK: The tables of records

    private func recordTables(_ connection: Connection) throws -> [String] {
        let found = try columns(connection)
        let indexes = try indexes(connection)
        return try tables.flatMap { table in
            let name = DatabaseNames.plain(table.model.name)
            let changes =
                try found[name].map { try alteration(of: table, from: $0) } ?? [creation(of: table)]
            return changes + indexChanges(of: table, from: indexes[name] ?? [:])
        }
    }

    private func creation(of table: RecordTable) -> String {
        let columns = table.columns.flatMap { definitions(of: $0) }.map { "\($0.name) \($0.type)" }
        return "CREATE TABLE \(table.name)("
            + (["\(DatabaseNames.key) bytea PRIMARY KEY"] + columns).joined(separator: ", ") + ")"
    }

    private func definitions(of column: RecordTable.Column) -> [(plain: String, name: String, type: String)] {
        let collation = column.storage.type == "text" ? " COLLATE \"C\"" : ""
        let value = (DatabaseNames.column(column.field.name), column.name, column.storage.type + collation)
        guard let instant = column.instant else { return [value] }
        return [value, (DatabaseNames.instant(column.field.name), instant, "bytea")]
    }

    /// The statements that add missing columns to a table.
    private func alteration(of table: RecordTable, from existing: [String: String]) throws -> [String] {
        try table.columns.flatMap { column in
            try definitions(of: column).compactMap { plain, name, type in
                guard let found = existing[plain] else {
                    return "ALTER TABLE \(table.name) ADD COLUMN \(name) \(type)\(initialValue(column, plain))"
                }
                guard type.hasPrefix(found) else {
                    throw DataStoreError(
                        .invalidSchema,
                        "\(table.model.name).\(column.field.name) is stored as \(found), and the schema needs \(type).",
                        model: table.model.name, recovery: "Give the field a new name.")
                }
                return nil
            }
        }
    }

    /// The value of existing records in a new column: the default of a required field.
    private func initialValue(_ column: RecordTable.Column, _ plain: String) -> String {
        guard column.field.isRequired, let value = column.field.schema.defaultValue else { return "" }
        switch value {
        case .int(let number): return " DEFAULT \(number)"
        case .double(let number): return " DEFAULT \(number)"
        case .bool(let flag): return " DEFAULT \(flag)"
        case .string(let text):
            return " DEFAULT " + Self.literal(text)
        default: return ""
        }
    }

    /// A text as a literal. No other function quotes texts, and values of records are always parameters.
    private static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// The statements that create missing indexes and remove indexes that the schema no longer has.
    private func indexChanges(of table: RecordTable, from existing: [String: String]) -> [String] {
        var existing = existing
        var changes: [String] = []
        for index in table.model.indexes {
            let name = DatabaseNames.index(index.name, of: table.model.name)
            // The key makes the order of equal values the order of pages. PostgreSQL writes the definition in its own words,
            // so a comment on the index keeps the fields.
            let fields = index.fields.map { "\(table.comparable($0)) NULLS FIRST" } + [DatabaseNames.key]
            let definition = fields.joined(separator: ", ")
            if existing.removeValue(forKey: name) == definition { continue }
            let quoted = DatabaseNames.quoted(name)
            changes += [
                "DROP INDEX IF EXISTS \(DatabaseNames.records).\(quoted)",
                "CREATE INDEX \(quoted) ON \(table.name)(\(definition))",
                "COMMENT ON INDEX \(DatabaseNames.records).\(quoted) IS \(Self.literal(definition))",
            ]
        }
        return changes
            + existing.keys.sorted().map { "DROP INDEX \(DatabaseNames.records).\(DatabaseNames.quoted($0))" }
    }

    /// The types of the columns of all tables of records.
    private func columns(_ connection: Connection) throws -> [String: [String: String]] {
        let found = try connection.run(
            SQLStatement(
                """
                SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns \
                WHERE table_schema = '\(DatabaseNames.records)'
                """))
        var columns: [String: [String: String]] = [:]
        for row in 0..<found.count {
            guard let table = found.text(row, 0), let column = found.text(row, 1) else { continue }
            columns[table, default: [:]][column] = found.text(row, 2)
        }
        return columns
    }

    /// The definitions of the indexes of all tables of records that the server has made.
    private func indexes(_ connection: Connection) throws -> [String: [String: String]] {
        let found = try connection.run(
            SQLStatement(
                """
                SELECT t.relname::text, i.relname::text, obj_description(i.oid, 'pg_class') FROM pg_index x \
                JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid \
                JOIN pg_namespace n ON n.oid = t.relnamespace \
                WHERE n.nspname = '\(DatabaseNames.records)' AND obj_description(i.oid, 'pg_class') IS NOT NULL
                """))
        var indexes: [String: [String: String]] = [:]
        for row in 0..<found.count {
            guard let table = found.text(row, 0), let index = found.text(row, 1) else { continue }
            indexes[table, default: [:]][index] = found.text(row, 2)
        }
        return indexes
    }
}
