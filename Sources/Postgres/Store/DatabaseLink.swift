@_spi(Adapters) package import TidelogCore
package import TidelogServer

/// A connection that has the database of servers for itself: changes of servers wait until it is closed, and fail if that takes
/// long.
package struct DatabaseLink: Sendable {
    private let connection: Connection
    private let identity: String

    /// The time in milliseconds for which statements may run. Tables may be large.
    private static let statementTime = 3_600_000
    /// The time for which servers that were just stopped or killed may still have connections.
    private static let patience = Duration.seconds(5)

    /// Connects to the database at `address`.
    ///
    /// - Throws: ``DataStoreError`` with code `locked` if servers use the database.
    package init(_ address: DatabaseAddress) async throws {
        var limits = DatabaseAddress.Limits()
        limits.statementTime = Self.statementTime
        let opened: Connection
        do { opened = try await Blocking.run { [limits] in try Connection(address, limits) } } catch let failure
            as PostgresFailure
        {
            throw failure.asDataStoreError
        }
        connection = opened
        identity = try await opened.blocking { connection in
            let found = try connection.run(
                SQLStatement(
                    """
                    SELECT system_identifier::text, (SELECT oid FROM pg_database WHERE datname = current_database())::text \
                    FROM pg_control_system()
                    """))
            return "database \(found.text(0, 0) ?? "")/\(found.text(0, 1) ?? "")"
        }
        try await lock()
    }

    private func lock() async throws {
        let deadline = ContinuousClock.now + Self.patience
        let question = SQLStatement(
            """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
            AND application_name ~ '\(DatabaseAddress.connectionNames)'
            """)
        while try await connection.blocking({ try $0.run(question).int(0, 0) }) != 0 {
            guard ContinuousClock.now < deadline else { throw Self.isServed }
            try await Task.sleep(for: .milliseconds(100))
        }
        do {
            try await connection.blocking { _ = try $0.run(SQLStatement(DatabaseSchema.lastingWriteLock)) }
        } catch let error as DataStoreError where error.code == .databaseBusy {
            throw Self.isServed
        }
    }

    private static var isServed: DataStoreError {
        DataStoreError(
            .locked, "Servers or other programs of Tidelog use the database.",
            recovery: "Stop them first. A change that they make now would be lost.")
    }

    /// The facts of the database.
    package func facts() async throws -> ServedFacts {
        try await connection.blocking { connection in
            var facts = ServedFacts(source: nil, kind: .versioned, time: 0, secrets: [])
            guard let description = try DatabaseDescription.read(connection) else { return facts }
            (facts.source, facts.kind) = (description.source, description.kind)
            let time = try connection.run(SQLStatement("SELECT last_value FROM \(DatabaseSchema.own("time"))"))
            facts.time = try time.int(0, 0) ?? 0
            let found = try connection.run(
                SQLStatement("SELECT name, text, bytes FROM \(DatabaseSchema.own("fact"))"))
            for row in 0..<found.count {
                guard let name = found.text(row, 0) else { continue }
                if name == ServedFacts.copy { facts.unfinishedSource = found.text(row, 1) }
                if let bytes = found.bytes(row, 2), let secret = ServedFacts.Secret(fact: name, Array(bytes)) {
                    facts.secrets.append(secret)
                }
            }
            return facts
        }
    }

    /// Whether the database has no records and no answers of servers.
    package func isEmpty() async throws -> Bool {
        try await connection.blocking { connection in
            let tables = try connection.run(
                SQLStatement(
                    """
                    SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                    WHERE c.relkind = 'r' AND (n.nspname = '\(DatabaseNames.records)' \
                    OR n.nspname = '\(DatabaseNames.server)' AND c.relname = 'answer')
                    """))
            for row in 0..<tables.count {
                guard let table = tables.text(row, 0) else { continue }
                let found = try connection.run(SQLStatement("SELECT 1 FROM \(table) LIMIT 1"))
                guard found.count == 0 else { return false }
            }
            return true
        }
    }

    /// Creates the tables for a copy of the place `source`, or changes them, and notes that the copy is not complete yet.
    package func begin(_ facts: ServedFacts, schema: Schema, from source: String) async throws {
        let tables = SchemaLayout(StoredSchema(first: schema)).models.map { RecordTable($0) }
        let database = DatabaseSchema(
            tables: tables, source: facts.source ?? "", kind: facts.kind, copiedFrom: source)
        try await connection.blocking { try database.prepare($0) }
    }

    /// The content under a schema.
    package func content(_ schema: Schema) -> DatabaseContent { DatabaseContent(identity, connection, schema) }
}
