#if os(Linux)
    import CSQLite
    import Foundation

    /// Inserts one row per transaction into an SQLite database with a synced write-ahead log.
    struct SQLiteVictim {
        private let path: String

        init(_ directory: String) {
            path = directory + "/rows.sqlite"
        }

        func run(_ count: Int) throws {
            let database = try open()
            try execute(database, "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)")
            for number in 0..<count {
                let text = String(decoding: Victim.record(number), as: UTF8.self)
                try execute(database, "INSERT INTO rows VALUES (\(number), '\(text)')")
                Victim.acknowledge("ack \(number)")
            }
            sqlite3_close(database)
        }

        /// The number of rows. They must be the first rows that were inserted.
        func count() throws -> Int {
            let database = try open()
            defer { sqlite3_close(database) }
            guard try number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'rows'") == 1 else { return 0 }
            let count = try number(database, "SELECT count(*) FROM rows")
            let last = try number(database, "SELECT ifnull(max(id), -1) FROM rows")
            let sound = try number(database, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'")
            if last != count - 1 || sound != 1 { throw VictimError(number: -1) }
            return count
        }

        private func open() throws -> OpaquePointer? {
            var database: OpaquePointer?
            try check(sqlite3_open(path, &database))
            try execute(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            return database
        }

        private func execute(_ database: OpaquePointer?, _ text: String) throws {
            try check(sqlite3_exec(database, text, nil, nil, nil))
        }

        private func number(_ database: OpaquePointer?, _ text: String) throws -> Int {
            var statement: OpaquePointer?
            try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
            defer { sqlite3_finalize(statement) }
            guard sqlite3_step(statement) == SQLITE_ROW else { throw VictimError(number: sqlite3_errcode(database)) }
            return Int(sqlite3_column_int64(statement, 0))
        }

        private func check(_ error: Int32) throws {
            if error != 0 { throw VictimError(number: error) }
        }
    }
#endif
