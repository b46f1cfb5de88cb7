import CPeerLMDB
import Foundation
import Tidelog

/// LMDB by its own calls: a table of rows by id, and a table of ids by rating. A row is its fields, each after its length.
///
/// This is sound: the benchmark gives raw peers one caller at a time, so no two threads use the environment at once.
final class LMDBPeer: Peer, @unchecked Sendable {
    static let name = "raw LMDB"
    static let takesTasks = false

    private var environment: OpaquePointer?
    private var rows: MDB_dbi = 0
    private var ratings: MDB_dbi = 0

    init(folder: String, durability: Durability) async throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_maxdbs(environment, 2))
        try check(mdb_env_set_mapsize(environment, 16 << 30))
        let flags = MDB_NOSUBDIR | (durability == .full ? 0 : MDB_NOSYNC)
        try check(mdb_env_open(environment, folder + "/posts.mdb", UInt32(flags), 0o600))
        try write { transaction in
            try check(mdb_dbi_open(transaction, "rows", UInt32(MDB_CREATE), &rows))
            try check(mdb_dbi_open(transaction, "ratings", UInt32(MDB_CREATE), &ratings))
        }
    }

    func save(_ post: Post) async throws { try write { try put(post, in: $0) } }

    func save(all posts: [Post]) async throws {
        try write { transaction in for post in posts { try put(post, in: transaction) } }
    }

    func post(id: String) async throws -> Post? {
        try read { transaction in try row(Array(id.utf8), in: transaction).map(post) }
    }

    func posts(from rating: Int, limit: Int) async throws -> [Post] {
        try read { transaction in
            var posts: [Post] = []
            try scan(ratings, from: Self.key(rating), in: transaction) { key, _ in
                guard let row = try row(Array(key.dropFirst(8)), in: transaction) else {
                    throw PeerError("LMDB has an entry without a row")
                }
                posts.append(post(row))
                return posts.count < limit
            }
            return posts
        }
    }

    func posts(containing text: String) async throws -> [Post] {
        let pattern = Array(text.utf8)
        return try read { transaction in
            var posts: [Post] = []
            try scan(rows, from: nil, in: transaction) { _, row in
                if Self.contains(Self.field(2, of: row), pattern) { posts.append(post(row)) }
                return true
            }
            return posts
        }
    }

    func close() async throws {
        mdb_env_close(environment)
        environment = nil
    }

    // MARK: Transactions

    private func write(_ body: (OpaquePointer) throws -> Void) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        guard let transaction else { return }
        do { try body(transaction) } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction))
    }

    private func read<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        guard let transaction else { throw PeerError("LMDB made no transaction") }
        defer { mdb_txn_abort(transaction) }
        return try body(transaction)
    }

    private func put(_ post: Post, in transaction: OpaquePointer) throws {
        var row: [UInt8] = []
        for text in [post.id, post.title, post.content, post.status, post.createdAt, post.updatedAt] {
            withUnsafeBytes(of: UInt32(text.utf8.count)) { row.append(contentsOf: $0) }
            row.append(contentsOf: text.utf8)
        }
        withUnsafeBytes(of: Int64(post.rating)) { row.append(contentsOf: $0) }
        try put(Array(post.id.utf8), row, rows, transaction)
        try put(Self.key(post.rating) + post.id.utf8, [], ratings, transaction)
    }

    private func put(_ key: [UInt8], _ value: [UInt8], _ table: MDB_dbi, _ transaction: OpaquePointer) throws {
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                var (key, value) = (Self.data(key), Self.data(value))
                try check(mdb_put(transaction, table, &key, &value, 0))
            }
        }
    }

    // MARK: Rows

    private func row(_ id: [UInt8], in transaction: OpaquePointer) throws -> UnsafeRawBufferPointer? {
        try id.withUnsafeBytes { id in
            var (key, value) = (Self.data(id), MDB_val())
            let code = mdb_get(transaction, rows, &key, &value)
            if code == MDB_NOTFOUND { return nil }
            try check(code)
            return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        }
    }

    /// Visits entries in the order of their keys until `visit` returns `false`.
    private func scan(
        _ table: MDB_dbi, from start: [UInt8]?, in transaction: OpaquePointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, table, &cursor))
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (MDB_val(), MDB_val())
        var code = (start ?? []).withUnsafeBytes { bytes in
            key = Self.data(bytes)
            return mdb_cursor_get(cursor, &key, &value, start == nil ? MDB_FIRST : MDB_SET_RANGE)
        }
        while code == MDB_SUCCESS {
            let row = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            guard try visit(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size), row) else { return }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if code != MDB_NOTFOUND { try check(code) }
    }

    private func post(_ row: UnsafeRawBufferPointer) -> Post {
        func text(_ index: Int) -> String { String(decoding: Self.field(index, of: row), as: UTF8.self) }
        let rating = row.loadUnaligned(fromByteOffset: row.count - 8, as: Int64.self)
        return Post(
            id: text(0), title: text(1), content: text(2), rating: Int(rating), status: text(3), createdAt: text(4),
            updatedAt: text(5))
    }

    private static func field(_ index: Int, of row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer.SubSequence {
        var offset = 0
        for _ in 0..<index { offset += 4 + Int(row.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        let count = Int(row.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return row[offset + 4..<offset + 4 + count]
    }

    private static func contains(_ text: UnsafeRawBufferPointer.SubSequence, _ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first else { return true }
        let last = text.endIndex - pattern.count
        var index = text.startIndex
        while index <= last {
            if text[index] == first, text[index..<index + pattern.count].elementsEqual(pattern) { return true }
            index += 1
        }
        return false
    }

    /// The bytes of a rating, which have the order of the ratings. They are not negative.
    private static func key(_ rating: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(rating).bigEndian) { Array($0) }
    }

    private static func data(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    private func check(_ code: Int32) throws {
        guard code == MDB_SUCCESS else { throw PeerError("LMDB: \(String(cString: mdb_strerror(code)))") }
    }
}
