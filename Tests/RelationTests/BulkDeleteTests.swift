import Testing
import Tidelog

@Suite("Bulk calls that need several commits", .serialized) struct BulkDeleteTests {
    private static let limit = Limits.commitEventCount

    /// The ids of the deleted records, one list for each commit. The ids are in the order of the events.
    private func deleted(_ bulk: BulkCommit, in store: DataStore) async throws -> [[String]] {
        var ids: [[String]] = []
        for commit in bulk.commits {
            var own: [String] = []
            for try await event in store.events(after: SequenceNumber(commit.first.value - 1)) {
                #expect(event.kind == .deleted && event.commit == commit.first)
                if case .string(let id)? = event.recordID?.components.first { own.append(id) }
                if event.sequence == commit.last { break }
            }
            ids.append(own)
        }
        return ids
    }

    @Test("a chain that fits in one commit is deleted by one commit") func chain() async throws {
        let store = try await DataStore.scratch(.lmdb)
        try await store.save((0..<2_000).map { Category(id: "\($0)", parentID: $0 == 0 ? nil : "\($0 - 1)") })
        let bulk = try await store.delete(Category.self, id: "1")
        #expect(bulk.commitCount == 1)
        #expect(bulk.eventCount == 1_999)
        #expect(bulk.first.value + 1_998 == bulk.last.value)
        let nothing = try await store.delete(Category.self, id: "1")
        #expect(nothing.isEmpty && nothing.commitCount == 0 && nothing.eventCount == 0)
        #expect(nothing.first.value == nothing.last.value + 1)
        try await store.close()
    }

    @Test(
        "a record with more children than a commit holds is deleted after them; in a write, it is refused with advice")
    func manyChildren() async throws {
        let store = try await DataStore.scratch(.lmdb)
        let saved = try await store.save(
            [Category(id: "root")] + (0..<Self.limit + 5_000).map { Category(id: "c\($0)", parentID: "root") })
        #expect(saved.commitCount == 2 && saved.eventCount == Self.limit + 5_001)
        let head = try store.head
        let error = await #expect(throws: DataStoreError.self) {
            try await store.write { try $0.delete(Category.self, id: "root") }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(error?.recovery.contains("split themselves") == true)
        #expect(try store.head == head)
        let bulk = try await store.delete(Category.self, id: "root", where: Category.keys.id == "root")
        #expect(bulk.commits.map(\.eventCount) == [Self.limit, 5_001])
        let ids = try await deleted(bulk, in: store)
        #expect(ids.last?.last == "root")
        #expect(Set(ids.joined()).count == Self.limit + 5_001)
        #expect(try await store.count(Category.all) == 0)
        try await store.close()
    }

    @Test("a chain that is longer than a commit is deleted from its end") func longChain() async throws {
        let store = try await DataStore.scratch(.lmdb)
        let count = Self.limit + 1_000
        try await store.save((0..<count).map { Category(id: "\($0)", parentID: $0 == 0 ? nil : "\($0 - 1)") })
        let bulk = try await store.delete(Category.self, id: "0")
        #expect(bulk.commits.map(\.eventCount) == [Self.limit, 1_000])
        #expect(try await deleted(bulk, in: store).joined().elementsEqual((0..<count).reversed().map { "\($0)" }))
        try await store.close()
    }

    @Test("a deletion by a predicate deletes each selected record in the same commit as its children")
    func predicate() async throws {
        let store = try await DataStore.scratch(.sqlite)
        // There are 52 families of 2,001 records each. A commit has room for 49 families.
        var all = [Category(id: "stays")]
        for family in 10..<62 {
            all.append(Category(id: "f\(family)", parentID: "nobody"))
            all += (0..<2_000).map { Category(id: "f\(family) \($0)", parentID: "f\(family)") }
        }
        try await store.save(all)
        let bulk = try await store.delete(all: Category.where(ModelPredicate(.field("parentID", .equal("nobody")))))
        #expect(bulk.commits.map(\.eventCount) == [49 * 2_001, 3 * 2_001])
        #expect(try await store.query(Category.self).map(\.id) == ["stays"])
        // In the log, no record is deleted after the record that it belongs to.
        var gone = Set<String>()
        var orphanCount = 0
        for id in try await deleted(bulk, in: store).joined() {
            if id.contains(" ") {
                orphanCount += gone.contains(String(id.prefix { $0 != " " })) ? 1 : 0
            } else {
                gone.insert(id)
            }
        }
        #expect(gone.count == 52 && orphanCount == 0)
        try await store.close()
    }

    @Test("records that no longer satisfy the predicate when their turn comes are left alone") func changed()
        async throws
    {
        let store = try await DataStore.scratch(.lmdb)
        try await store.save(
            (0..<Self.limit + 2).map { Comment(id: "c\(1_000_000 + $0)", place: 1) }, requireParents: false)
        let last = "c\(1_000_000 + Self.limit + 1)"
        let wasSaved = Task {
            // The save comes after the first commit. It also comes before the second one, because writers take turns.
            for try await event in store.events(after: try store.head) where event.kind == .deleted { break }
            try await store.save(Comment(id: last, content: "kept", place: 2), requireParents: false)
        }
        let bulk = try await store.delete(all: Comment.where(Comment.keys.place == 1))
        try await wasSaved.value
        let left = try await store.query(Comment.self)
        // If the other task is late, all records are gone before it saves.
        #expect(left.map(\.content) == ["kept"])
        #expect((Self.limit + 1...Self.limit + 2).contains(bulk.eventCount))
        try await store.close()
    }

    @Test("a cancelled deletion leaves no orphan, and a second deletion completes it") func cutOff() async throws {
        let store = try await DataStore.scratch(.lmdb)
        let all =
            [Category(id: "root")] + (0..<10).map { Category(id: "s\($0)", parentID: "root") }
            + (0..<Self.limit + 20_000).map { Category(id: "c\($0)", parentID: "s\($0 % 10)") }
        try await store.save(all)
        let head = try store.head
        let deletion = Task { try await store.delete(Category.self, id: "root") }
        for try await event in store.events(after: head) where event.kind == .deleted { break }
        deletion.cancel()
        let outcome = await deletion.result
        let left = try await store.query(Category.self)
        if case .failure(let error) = outcome {
            #expect(error is CancellationError)
            #expect((1..<all.count).contains(left.count))
        }
        let ids = Set(left.map(\.id))
        #expect(left.allSatisfy { $0.parentID.map(ids.contains) ?? true })
        try await store.delete(Category.self, id: "root")
        #expect(try await store.count(Category.all) == 0)
        try await store.close()
    }

    @Test("a call that fails reports the events that it appended before, and these events stay")
    func failure() async throws {
        let store = try await DataStore.scratch()
        var comments = (0..<Self.limit).map { Comment(id: "c\($0)", post: ("a", 1)) }
        comments.append(Comment(id: "orphan", post: ("b", 1)))
        try await store.save(Post("a", 1))
        let head = try store.head
        let error = await #expect(throws: DataStoreError.self) { try await store.save(comments) }
        #expect(error?.code == .parentMissing)
        #expect(error?.appended?.eventCount == Self.limit)
        #expect(error?.appended?.first.value == head.sequence.value + 1)
        #expect(try await store.count(Comment.all) == Self.limit)
        try await store.close()
    }

    @Test("80 MB of values are saved in two commits, each within the limits") func bytes() async throws {
        let store = try await DataStore.scratch(.lmdb)
        let text = String(repeating: "x", count: 1 << 20)
        let tags = (0..<80).map { Tag(id: "t\(100 + $0)", name: text) }
        let bulk = try await store.save(tags)
        #expect(bulk.commitCount == 2)
        #expect(bulk.eventCount == 80)
        #expect(try await store.count(Tag.all) == 80)
        let error = await #expect(throws: DataStoreError.self) { try await store.write { try $0.save(tags) } }
        #expect(error?.code == .transactionTooLarge)
        #expect(error?.recovery.contains("split themselves") == true)
        // Each row is nearly as large as a row may be, so four rows fill a commit.
        let large = String(repeating: "x", count: Limits.rowByteCount - 1_000)
        let second = try await store.save((0..<5).map { Tag(id: "l\($0)", name: large) })
        #expect(second.commitCount == 2)
        #expect(try await store.count(Tag.where(Tag.keys.name.beginsWith("x"))) == 85)
        try await store.close()
    }

    @Test("saving an empty list makes no commit") func nothing() async throws {
        let store = try await DataStore.scratch()
        let head = try store.head
        let bulk = try await store.save([Tag]())
        #expect(bulk.isEmpty && bulk.commitCount == 0)
        #expect(try store.head == head)
        #expect(try await store.delete(all: Tag.all).isEmpty)
        try await store.close()
    }
}
