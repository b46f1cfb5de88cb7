#if canImport(GRDB)
    import GRDB
    import Tidelog

    /// A database pool of GRDB, with a record whose conversions are written by hand: the fastest form that its documentation
    /// recommends.
    struct GRDBPeer: Peer {
        static let name = "GRDB"

        private let pool: DatabasePool

        init(folder: String, durability: Durability) async throws {
            pool = try DatabasePool(path: folder + "/posts.sqlite")
            try await pool.writeWithoutTransaction { database in
                // The pool's default is NORMAL, which keeps what `relaxed` promises.
                if durability == .full { try database.execute(sql: "PRAGMA synchronous = FULL") }
                try database.create(table: "post") { table in
                    table.primaryKey("id", .text)
                    for name in ["title", "content", "status", "createdAt", "updatedAt"] {
                        table.column(name, .text).notNull()
                    }
                    table.column("rating", .integer).notNull().indexed()
                }
            }
        }

        func save(_ post: Post) async throws { try await pool.write { try StoredPost(post: post).save($0) } }

        func save(all posts: [Post]) async throws {
            try await pool.write { database in
                for post in posts { try StoredPost(post: post).insert(database) }
            }
        }

        func post(id: String) async throws -> Post? {
            try await pool.read { try StoredPost.fetchOne($0, key: id) }?.post
        }

        func posts(from rating: Int, limit: Int) async throws -> [Post] {
            try await pool.read { database in
                try StoredPost.filter { $0.rating >= rating }.order(\.rating).limit(limit).fetchAll(database)
            }.map(\.post)
        }

        func posts(containing text: String) async throws -> [Post] {
            try await pool.read { database in
                // `instr` compares bytes, as `contains` of Tidelog does.
                try StoredPost.filter(sql: "instr(content, ?)", arguments: [text]).fetchAll(database)
            }.map(\.post)
        }

        func close() async throws { try pool.close() }
    }

    /// A post as a record of GRDB.
    private struct StoredPost: FetchableRecord, PersistableRecord {
        static let databaseTableName = "post"

        enum Columns {
            static let id = Column("id")
            static let title = Column("title")
            static let content = Column("content")
            static let rating = Column("rating")
            static let status = Column("status")
            static let createdAt = Column("createdAt")
            static let updatedAt = Column("updatedAt")
        }

        static var databaseSelection: [any SQLSelectable] {
            [
                Columns.id, Columns.title, Columns.content, Columns.rating, Columns.status, Columns.createdAt,
                Columns.updatedAt,
            ]
        }

        let post: Post

        init(post: Post) { self.post = post }

        init(row: Row) {
            post = Post(
                id: row[0], title: row[1], content: row[2], rating: row[3], status: row[4], createdAt: row[5],
                updatedAt: row[6])
        }

        func encode(to container: inout PersistenceContainer) {
            container[Columns.id] = post.id
            container[Columns.title] = post.title
            container[Columns.content] = post.content
            container[Columns.rating] = post.rating
            container[Columns.status] = post.status
            container[Columns.createdAt] = post.createdAt
            container[Columns.updatedAt] = post.updatedAt
        }
    }
#endif
