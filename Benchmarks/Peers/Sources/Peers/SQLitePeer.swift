import CPeerSQLite
import Tidelog

/// SQLite by its own calls: one connection and prepared statements, without an object in between.
///
/// This is sound: the benchmark gives raw peers one caller at a time, so no two threads use the connection at once.
final class SQLitePeer: Peer, @unchecked Sendable {
    static let name = "raw SQLite"
    static let takesTasks = false

    private var connection: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    private static let columns = "id, title, content, rating, status, createdAt, updatedAt"

    init(folder: String, durability: Durability) async throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        try check(sqlite3_open_v2(folder + "/posts.sqlite", &connection, flags, nil))
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        try run("PRAGMA mmap_size = 4294967296")
        try run(
            """
            CREATE TABLE post (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL,
                rating INTEGER NOT NULL, status TEXT NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL)
            """)
        try run("CREATE INDEX post_rating ON post (rating)")
    }

    func save(_ post: Post) async throws { try insert(post) }

    func save(all posts: [Post]) async throws {
        try run("BEGIN IMMEDIATE")
        for post in posts { try insert(post) }
        try run("COMMIT")
    }

    func post(id: String) async throws -> Post? {
        try posts("SELECT \(Self.columns) FROM post WHERE id = ?1", [.text(id)]).first
    }

    func posts(from rating: Int, limit: Int) async throws -> [Post] {
        try posts(
            "SELECT \(Self.columns) FROM post WHERE rating >= ?1 ORDER BY rating LIMIT ?2",
            [.integer(rating), .integer(limit)])
    }

    func posts(containing text: String) async throws -> [Post] {
        try posts("SELECT \(Self.columns) FROM post WHERE instr(content, ?1)", [.text(text)])
    }

    func close() async throws {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        try check(sqlite3_close(connection))
        connection = nil
    }

    // MARK: Statements

    private enum Argument {
        case text(String)
        case integer(Int)
    }

    private func insert(_ post: Post) throws {
        let sql = "INSERT INTO post (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        let arguments: [Argument] = [
            .text(post.id), .text(post.title), .text(post.content), .integer(post.rating), .text(post.status),
            .text(post.createdAt), .text(post.updatedAt),
        ]
        _ = try posts(sql, arguments)
    }

    private func run(_ sql: String) throws { try check(sqlite3_exec(connection, sql, nil, nil, nil)) }

    /// Runs a statement, and returns the posts of its rows.
    private func posts(_ sql: String, _ arguments: [Argument]) throws -> [Post] {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, argument) in arguments.enumerated() {
            switch argument {
            case .integer(let number): try check(sqlite3_bind_int64(statement, Int32(index + 1), Int64(number)))
            case .text(let text):
                // SQLite copies the text (`SQLITE_TRANSIENT`).
                let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                try check(sqlite3_bind_text(statement, Int32(index + 1), text, Int32(text.utf8.count), copies))
            }
        }
        var posts: [Post] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: posts.append(post(statement))
            case SQLITE_DONE: return posts
            case let code: try check(code)
            }
        }
    }

    private func post(_ statement: OpaquePointer) -> Post {
        func text(_ column: Int32) -> String {
            String(cString: sqlite3_column_text(statement, column))
        }
        return Post(
            id: text(0), title: text(1), content: text(2), rating: Int(sqlite3_column_int64(statement, 3)),
            status: text(4), createdAt: text(5), updatedAt: text(6))
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw PeerError("SQLite prepared no statement") }
        statements[sql] = statement
        return statement
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
            throw PeerError("SQLite: \(String(cString: sqlite3_errmsg(connection)))")
        }
    }
}
