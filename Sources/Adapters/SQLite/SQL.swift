@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// The text of one statement. Only this file makes statements.
///
/// Values are always bound. Names come from the schema, and a single function quotes them.
struct SQL: Hashable {
    let text: String

    /// A column as it is declared in the file.
    struct ColumnDefinition: Hashable {
        let name: String
        let type: String
    }

    private init(_ text: String) { self.text = text }
}

// MARK: - Transactions and the connection

extension SQL {
    static let begin = SQL("BEGIN")
    static let beginWriting = SQL("BEGIN IMMEDIATE")
    static let commit = SQL("COMMIT")
    static let rollback = SQL("ROLLBACK")
    static let schemaVersion = SQL("PRAGMA schema_version")
    static let applicationID = SQL("PRAGMA application_id")
    static let userVersion = SQL("PRAGMA user_version")
    static let pageCount = SQL("PRAGMA page_count")
    static let freePageCount = SQL("PRAGMA freelist_count")
    static let pageSize = SQL("PRAGMA page_size")
    static let checkpointLog = SQL("PRAGMA wal_checkpoint(PASSIVE)")
    static let truncateLog = SQL("PRAGMA wal_checkpoint(TRUNCATE)")

    static func setApplicationID(_ id: Int32) -> SQL { SQL("PRAGMA application_id = \(id)") }
    static func setUserVersion(_ version: Int32) -> SQL { SQL("PRAGMA user_version = \(version)") }

    /// The settings of a connection (decision 0131).
    ///
    /// A connection that reads maps the first GiB of the file into memory, and reads later pages into its cache. SQLite would
    /// check all cells of a mapped page at each use, so a reader only has the checks of the cells that it reads. A
    /// connection that writes checks all cells of a page, so that damage does not spread to other pages.
    static func settings(cacheKibibytes: Int, isReading: Bool) -> [SQL] {
        let common = ["PRAGMA cache_size = -\(cacheKibibytes)", "PRAGMA automatic_index = OFF"]
        let own =
            isReading
            ? ["PRAGMA query_only = ON", "PRAGMA cell_size_check = OFF", "PRAGMA mmap_size = \(1 << 30)"]
            : [
                "PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0", "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = NORMAL", "PRAGMA journal_size_limit = 67108864", "PRAGMA secure_delete = FAST",
            ]
        return (common + own).map { SQL($0) }
    }
}

// MARK: - The adapter's own tables

extension SQL {
    static let createOwnTables = [
        SQL("CREATE TABLE \(quoted(ObjectNames.meta))(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"),
        SQL(
            """
            CREATE TABLE \(quoted(ObjectNames.auxiliary))(name TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, \
            PRIMARY KEY(name, key)) WITHOUT ROWID
            """),
    ]
    static let meta = SQL("SELECT value FROM \(quoted(ObjectNames.meta)) WHERE name = ?1")
    static let putMeta = SQL("REPLACE INTO \(quoted(ObjectNames.meta))(name, value) VALUES(?1, ?2)")
    static let auxiliary = SQL("SELECT value FROM \(quoted(ObjectNames.auxiliary)) WHERE name = ?1 AND key = ?2")
    static let putAuxiliary = SQL(
        "REPLACE INTO \(quoted(ObjectNames.auxiliary))(name, key, value) VALUES(?1, ?2, ?3)")
    static let deleteAuxiliary = SQL("DELETE FROM \(quoted(ObjectNames.auxiliary)) WHERE name = ?1 AND key = ?2")
    static let auxiliaryEntries = SQL(
        "SELECT key, value FROM \(quoted(ObjectNames.auxiliary)) WHERE name = ?1 ORDER BY key")
    static let auxiliaryEntriesAfter = SQL(
        "SELECT key, value FROM \(quoted(ObjectNames.auxiliary)) WHERE name = ?1 AND key > ?2 ORDER BY key")
}

// MARK: - The file's schema

extension SQL {
    static let tables = SQL("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    static let indexes = SQL("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND sql <> ''")

    static func columns(of table: String) -> SQL { SQL("PRAGMA table_info(\(quoted(table)))") }
    static func deleteAll(from table: String) -> SQL { SQL("DELETE FROM \(quoted(table))") }
    static func dropIndex(_ name: String) -> SQL { SQL("DROP INDEX \(quoted(name))") }

    static func createTable(_ table: String, _ columns: [ColumnDefinition]) -> SQL {
        let fields = columns.map { ", " + definition($0) }.joined()
        return SQL(
            """
            CREATE TABLE \(quoted(table))(\(quoted(ObjectNames.key)) BLOB NOT NULL UNIQUE, \
            \(quoted(ObjectNames.sequence)) INTEGER NOT NULL\(fields))
            """)
    }

    static func addColumn(_ column: ColumnDefinition, to table: String) -> SQL {
        SQL("ALTER TABLE \(quoted(table)) ADD COLUMN \(definition(column))")
    }

    /// Recreates a table with `columns`, and copies the columns called `kept` of its rows.
    static func recreateTable(_ table: String, _ columns: [ColumnDefinition], keeping kept: [String]) -> [SQL] {
        let old = "~" + table
        let names = ([ObjectNames.key, ObjectNames.sequence] + kept).map(quoted).joined(separator: ", ")
        return [
            SQL("ALTER TABLE \(quoted(table)) RENAME TO \(quoted(old))"), createTable(table, columns),
            SQL("INSERT INTO \(quoted(table))(\(names)) SELECT \(names) FROM \(quoted(old)) ORDER BY rowid"),
            SQL("DROP TABLE \(quoted(old))"),
        ]
    }

    static func createIndex(_ name: String, on shape: TableShape, _ fields: [FieldLayout]) -> SQL {
        let columns = fields.map { comparable(shape.column(of: $0)) } + [quoted(ObjectNames.key)]
        return SQL("CREATE INDEX \(quoted(name)) ON \(quoted(shape.table))(\(columns.joined(separator: ", ")))")
    }

    private static func definition(_ column: ColumnDefinition) -> String { quoted(column.name) + " " + column.type }
}

// MARK: - Single rows

extension SQL {
    /// The first key of a table, or the last.
    static func outermostKey(of table: String, isLast: Bool) -> SQL {
        let key = quoted(ObjectNames.key)
        return SQL("SELECT \(key) FROM \(quoted(table)) ORDER BY \(key)\(isLast ? " DESC" : "") LIMIT 1")
    }

    static func row(_ kind: TableShape.RowStatement, of shape: TableShape) -> SQL {
        let table = quoted(shape.table)
        let key = quoted(ObjectNames.key)
        switch kind {
        case .get: return SQL("\(selection(shape)) WHERE \(key) = ?1")
        case .delete: return SQL("DELETE FROM \(table) WHERE \(key) = ?1")
        case .put:
            let stored = assignments(shape, where: { _ in true }, withDropped: false)
            let names = [key] + stored.map(\.name)
            let values = ["?1"] + stored.map(\.value)
            return SQL(
                """
                INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES(\(values.joined(separator: ", "))) \
                ON CONFLICT(\(key)) DO UPDATE SET \(setting(assignments(shape, where: { _ in true })))
                """)
        case .update:
            return SQL("UPDATE \(table) SET \(setting(assignments(shape, where: { _ in true }))) WHERE \(key) = ?1")
        case .updateUnindexed:
            let changes = assignments(shape, where: { !$0.isIndexed })
            return SQL("UPDATE \(table) SET \(setting(changes)) WHERE \(key) = ?1")
        }
    }

    private static func setting(_ assignments: [(name: String, value: String)]) -> String {
        assignments.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
    }

    /// The values that a put stores in addition to the key. In the columns of dropped fields, the new row has no values.
    private static func assignments(
        _ shape: TableShape, where isIncluded: (Column) -> Bool, withDropped: Bool = true
    ) -> [(name: String, value: String)] {
        var assignments = [(name: quoted(ObjectNames.sequence), value: "?2")]
        for column in shape.columns where isIncluded(column) {
            if let name = column.name { assignments.append((quoted(name), "?\(column.parameter)")) }
            if let name = column.instantName { assignments.append((quoted(name), "?\(column.parameter + 1)")) }
        }
        if withDropped { assignments += shape.droppedColumns.map { (quoted($0), "NULL") } }
        return assignments
    }

    /// The key, the sequence number, and the fields by slot. A field's instant follows it if the instant has its own column.
    private static func selection(_ shape: TableShape) -> String {
        var columns = [quoted(ObjectNames.key), quoted(ObjectNames.sequence)]
        for column in shape.columns {
            columns.append(column.name.map(quoted) ?? "NULL")
            if column.storage == .temporal { columns.append(column.instantName.map(quoted) ?? "NULL") }
        }
        return "SELECT \(columns.joined(separator: ", ")) FROM \(quoted(shape.table))"
    }
}

// MARK: - Queries

extension SQL {
    /// The rows of `query` that satisfy the conditions for SQLite, with the query's page if `isPaged`.
    static func fetch(
        _ query: TranslatedQuery, _ shape: TableShape, _ order: KeyOrder
    ) -> (sql: SQL, values: [Condition.Value]) {
        var statement = QueryText(shape: shape, text: selection(shape))
        statement.appendConditions(of: query)
        let sort = query.sort.map { comparable(shape.column(of: $0.field)) + ($0.isDescending ? " DESC" : "") }
        // SQLite uses no index for the order of an expression such as `+key`.
        let key = (order == .sorted ? "+" : "") + quoted(ObjectNames.key) + (query.isDescending ? " DESC" : "")
        statement.text += " ORDER BY " + (sort + [key]).joined(separator: ", ")
        if query.isPaged { statement.appendPage(of: query) }
        return (SQL(statement.text), statement.values)
    }

    /// The number of rows of `query`, which must be paged.
    static func count(_ query: TranslatedQuery, _ shape: TableShape) -> (sql: SQL, values: [Condition.Value]) {
        var statement = QueryText(shape: shape, text: " FROM \(quoted(shape.table))")
        statement.appendConditions(of: query)
        guard query.page.limit != nil || query.page.offset > 0 else {
            return (SQL("SELECT count(*)" + statement.text), statement.values)
        }
        statement.appendPage(of: query)
        return (SQL("SELECT count(*) FROM (SELECT 1\(statement.text))"), statement.values)
    }

    /// The query plan of SQLite for a statement.
    static func explanation(of sql: SQL) -> SQL { SQL("EXPLAIN QUERY PLAN " + sql.text) }

    /// An expression that sorts like the column's values, with missing values first.
    fileprivate static func comparable(_ column: Column) -> String {
        switch column.storage {
        case .temporal: column.instantName.map(quoted) ?? "NULL"
        case .packedTemporal: column.name.map { "substr(\(quoted($0)), 1, 12)" } ?? "NULL"
        default: column.name.map(quoted) ?? "NULL"
        }
    }

    /// Quotes a name. No other function quotes names.
    fileprivate static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// The text of a query while it is made, with its values in the order of their parameters.
private struct QueryText {
    let shape: TableShape
    var text: String
    var values: [Condition.Value] = []

    mutating func appendConditions(of query: TranslatedQuery) {
        guard !query.conditions.isEmpty else { return }
        text += " WHERE "
        append(query.conditions[...], joinedBy: " AND ", ifEmpty: "1")
    }

    mutating func appendPage(of query: TranslatedQuery) {
        guard query.page.limit != nil || query.page.offset > 0 else { return }
        text += " LIMIT ? OFFSET ?"
        values.append(.int(query.page.limit.map { Int64($0) } ?? -1))
        values.append(.int(Int64(query.page.offset)))
    }

    private mutating func append(_ condition: Condition) {
        switch condition {
        case .always(let flag): text += flag ? "1" : "0"
        case .missing(let field, let isMissing): text += name(field) + (isMissing ? " IS NULL" : " IS NOT NULL")
        case .compare(let field, let relation, let value):
            text += "\(comparable(field)) \(relation.rawValue) ?"
            values.append(value)
        case .contains(let field, let part):
            text += "\(ContainsFunction.name)(\(name(field)), ?)"
            values.append(.blob(part))
        case .begins(let field, let prefix):
            text += "(\(name(field)) >= ? AND \(name(field)) < ?)"
            // UTF-8 has no byte above F4, so the last byte can always be increased by one.
            values += [.text(prefix), .text(prefix.dropLast() + [(prefix.last ?? 0) + 1])]
        case .key(let relation, let key):
            text += "\(SQL.quoted(ObjectNames.key)) \(relation.rawValue) ?"
            values.append(.blob(key))
        case .among(let field, let members):
            text += comparable(field)
            append(members)
        case .keyAmong(let keys):
            text += SQL.quoted(ObjectNames.key)
            append(keys.map { .blob($0) })
        case .not(let member):
            text += "("
            append(member)
            text += ") IS NOT 1"
        case .all(let members): append(members[...], joinedBy: " AND ", ifEmpty: "1")
        case .any(let members): append(members[...], joinedBy: " OR ", ifEmpty: "0")
        }
    }

    private func name(_ field: FieldLayout) -> String { shape.column(of: field).name.map(SQL.quoted) ?? "NULL" }

    private func comparable(_ field: FieldLayout) -> String { SQL.comparable(shape.column(of: field)) }

    private mutating func append(_ members: [Condition.Value]) {
        text += " IN (?" + String(repeating: ", ?", count: members.count - 1) + ")"
        values += members
    }

    /// Joins many members as a balanced tree, because SQLite limits the depth of expressions and of parentheses.
    private mutating func append(_ members: ArraySlice<Condition>, joinedBy operation: String, ifEmpty: String) {
        guard let first = members.first else {
            text += ifEmpty
            return
        }
        guard members.count > 1 else { return append(first) }
        let middle = members.startIndex + members.count / 2
        text += "("
        append(members[..<middle], joinedBy: operation, ifEmpty: ifEmpty)
        text += operation
        append(members[middle...], joinedBy: operation, ifEmpty: ifEmpty)
        text += ")"
    }
}
