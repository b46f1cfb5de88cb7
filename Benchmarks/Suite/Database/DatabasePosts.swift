import Foundation
import Tidelog
internal import TidelogPostgres
internal import TidelogServer

/// The posts of a server in a database.
struct DatabasePosts {
    private let store: PostgresVersionedStore
    private let api: API
    /// How many posts are saved in one call before the timed work begins.
    private static let batch = 1_000

    /// Creates the tables in the database at `address`, if they do not exist.
    init(_ address: String) async throws {
        api = try ServedPosts.makeAPI()
        store = try await PostgresVersionedStore(
            DatabaseAddress(address), schema: api.storedSchema, source: ServedPosts.source,
            tombstoneAge: ServiceOptions().tombstoneAge)
    }

    /// Fills the database with the same posts that clients would have created.
    func load(_ count: Int) async throws {
        let generator = PostGenerator(.server)
        for start in stride(from: 0, to: count, by: Self.batch) {
            let changes = (start..<min(start + Self.batch, count)).map { number in
                let record = ServedPosts.record(generator.post(number), .int(0))
                return RequestedChange("Post", RecordID(generator.identifier(number))) { _ in .save(record) }
            }
            for result in try await store.change(changes) { _ = try result.get() }
        }
    }

    /// The number of posts.
    func count() async throws -> Int {
        var (count, place): (Int, PagePlace?) = (0, nil)
        repeat {
            let page = try await store.page(PageQuery(Record.all(of: "Post"), limit: 1_000, place: place))
            count += page.records.count
            place = page.next
        } while place != nil
        return count
    }

    /// Starts a server of the database on a port that the system chooses.
    func start() async throws -> Server {
        try await Server.start(api, over: store, ServedPosts.configuration)
    }

    /// A script for pgbench that creates a post with the statements that a server uses.
    var statements: String {
        get throws {
            let statements = try store.creationStatements(of: "Post")
            let post = PostGenerator(.server).post(0)
            let values = [
                "~key": "decode(md5((:n)::text), 'hex')", "time": "NULL", "kind": "'created'",
                "id": "md5((:n)::text)", "title": "'\(post.title)'", "content": "'\(post.content)'",
                "rating": "(:n)::bigint % \(PostGenerator.ratingCount)", "status": "'\(post.status)'",
                "createdAt": "'\(post.createdAt)'", "updatedAt": "'\(post.updatedAt)'", Metadata.version: "1",
                Metadata.lastChangedAt: "0", Metadata.deleted: "NULL",
            ]
            func filled(_ text: String) throws -> String {
                var text = text
                // The parameter with the largest number comes first, because $1 is the beginning of $10.
                for (index, name) in statements.parameters.enumerated().reversed() {
                    guard let value = values[name] else { throw UsageError("pgbench has no value for \(name)") }
                    text = text.replacingOccurrences(of: "$\(index + 1)", with: value)
                }
                return text.replacingOccurrences(of: "\n", with: " ") + ";"
            }
            let transactions = try statements.transactions.map { transaction in
                ["\\startpipeline"] + (try transaction.map(filled)) + ["\\endpipeline"]
            }
            return (["\\set n random(1, 9000000000000000)"] + transactions.joined()).joined(separator: "\n") + "\n"
        }
    }
}
