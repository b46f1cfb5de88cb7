import Tidelog
internal import TidelogServer

/// The posts as records of an API without versions. It has the same fields, but both times are values that the server sets.
enum StampedPosts {
    /// The record with the times of a post, as a server stores it.
    static func withTimes(_ record: Record, of post: Post) throws -> Record {
        var record = record
        record["createdAt"] = .dateTime(try Temporal.DateTime(post.createdAt))
        record["updatedAt"] = .dateTime(try Temporal.DateTime(post.updatedAt))
        return record
    }

    /// The record that a device saves, without the times.
    static func record(_ post: Post) -> Record {
        Record(
            model: "Post",
            values: [
                "id": .string(post.id), "title": .string(post.title), "content": .string(post.content),
                "rating": .int(Int64(post.rating)), "status": .string(post.status),
            ])
    }
}

/// The posts of a device that syncs with one of the two kinds of APIs.
struct DevicePosts {
    let store: TidelogStore
    private let kind: SyncProtocol

    /// Creates the store of a device in `directory`.
    init(_ adapter: Adapter, _ size: WorkloadSize, _ kind: SyncProtocol, in directory: String) async throws {
        self.kind = kind
        let schema = kind == .versioned ? Schema.app : try ServedPosts.makeStampedAPI().schema
        store = try await TidelogEngine(adapter: adapter).open(size, in: directory, schema)
    }

    /// Saves all posts, one in a commit.
    func save(_ size: WorkloadSize) async throws {
        let generator = PostGenerator(.sync)
        guard kind == .timestamps else {
            _ = try await store.saveConcurrently(generator, size, .off, .plain)
            return
        }
        let share = size.records / size.savers
        try await withThrowingTaskGroup(of: Void.self) { group in
            for saver in 0..<size.savers {
                group.addTask {
                    for number in (saver * share)..<((saver + 1) * share) {
                        try await store.store.save(StampedPosts.record(generator.post(number)))
                    }
                }
            }
            try await group.waitForAll()
        }
        _ = try await store.projectWaiting()
    }

    /// Whether the store has exactly the posts 0 ..< `count`. Up to a thousand of them are compared in detail.
    func areComplete(_ count: Int) async throws -> Bool {
        guard kind == .timestamps else { return try await store.hasPosts(count) }
        guard try await store.store.read({ try $0.count(Record.all(of: "Post")) }) == count else { return false }
        let generator = PostGenerator(.sync)
        for number in stride(from: 0, to: count, by: max(1, count / 1_000)) {
            let expected = StampedPosts.record(generator.post(number))
            guard let record = try await store.store.record("Post", id: RecordID(generator.identifier(number))),
                expected.values.allSatisfy({ record[$0.key] == $0.value }), record["updatedAt"] != nil
            else { return false }
        }
        return true
    }
}
