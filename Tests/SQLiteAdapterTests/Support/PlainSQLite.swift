import CSQLite

/// Opens the file with SQLite's C interface, as a program without this package would.
final class PlainSQLite {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
            throw TestFailure("cannot open")
        }
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw TestFailure("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    /// The rows of a query, with each value as text; `nil` stands for NULL.
    func rows(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw TestFailure("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }

    func columns(of table: String) throws -> [(name: String, type: String)] {
        try rows("PRAGMA table_info(\"\(table)\")").map { ($0[1] ?? "", $0[2] ?? "") }
    }
}
