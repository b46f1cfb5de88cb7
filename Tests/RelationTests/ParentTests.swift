import Testing
@_spi(Adapters) import Tidelog
@_spi(Adapters) import TidelogCore

@Suite("Required parents") struct ParentTests {
    private let orphan = Comment(id: "c", post: ("a", 1))

    @Test(
        "a save without its required parent fails, and the error names the record, the relation and the parent",
        arguments: Adapter.allCases)
    func missing(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        let error = try await parentMissing { try await store.save(orphan) }
        #expect(error.model == "Comment")
        #expect(error.field == "post")
        #expect(error.recordID == "c")
        #expect(error.parentID == ["a", 1])
        #expect(!error.description.contains("\"a\""))
        _ = try await parentMissing { try await store.insert(orphan) }
        _ = try await parentMissing { try await store.save([orphan]) }
        _ = try await parentMissing {
            try await store.save(Record(model: "Comment", values: ["id": "c", "place": 0, "postSlug": "a"]))
        }
        let none = try await parentMissing { try await store.save(Comment(id: "c")) }
        #expect(none.parentID == nil)
        #expect(try store.head.sequence.value == 1, "only the schema")
        try await store.save(Post("a", 1))
        try await store.save(orphan)
        let tag = try await parentMissing { try await store.save(PostTags(id: "j", post: ("a", 1), tagID: "t")) }
        #expect(tag.field == "tag")
    }

    @Test("a write may save parents and children in any order, and checks required parents when it ends") func order()
        async throws
    {
        let store = try await DataStore.scratch()
        try await store.write { transaction in
            try transaction.save(orphan)
            try transaction.save(Post("a", 1))
        }
        _ = try await parentMissing {
            try await store.write { transaction in
                try transaction.save(orphan)
                try transaction.delete(Post("a", 1), cascading: false)
            }
        }
        #expect(try await store.count(Post.all) == 1)
        try await store.write { transaction in
            try transaction.save(Comment(id: "gone", post: ("z", 9)))
            try transaction.delete(Comment.self, id: "gone")
        }
        // An optional parent need not exist.
        try await store.save(Profile(id: "p", authorID: "nobody"))
    }

    @Test("a call may save a record without its parent, and the relation gives notFound until the parent is saved")
    func override() async throws {
        let store = try await DataStore.scratch()
        try await store.save(orphan, requireParents: false)
        let comment = try #require(try await store.query(Comment.self, id: "c"))
        let error = await #expect(throws: DataStoreError.self) { _ = try await comment.post }
        #expect(error?.code == .notFound)
        try await store.save(Post("a", 1, title: "late"))
        #expect(try await comment.post.title == "late")
    }

    @Test("a synced store accepts children before their parents, unless a call requires parents")
    func synced() async throws {
        let store = try await DataStore.scratch()
        try await store.save(Post("a", 1, title: "sent"))
        _ = try await parentMissing { try await store.save(Comment(id: "d", post: ("b", 1))) }
        let head = try store.head
        try await store.write { try $0.moveOutbox(to: head) }
        try await store.save(Comment(id: "d", post: ("b", 1)))
        _ = try await parentMissing { try await store.save(Comment(id: "e", post: ("b", 1)), requireParents: true) }
    }

    @Test("required parents are also checked for encoded rows of local origin, but not for a server's rows")
    func rows() async throws {
        let store = try await DataStore.scratch()
        let model = try #require(try store.layout.model(named: "Comment"))
        try await store.save(orphan, requireParents: false)
        for origin in [Origin.local, .remote] {
            let save: @Sendable () async throws -> Void = {
                try await store.write { transaction in
                    let bytes = try transaction.withRow(of: "c", in: model) {
                        Array($0?.bytes ?? .init(start: nil, count: 0))
                    }
                    try bytes.withUnsafeBytes { try transaction.save(RowView($0), of: model, origin: origin) }
                }
            }
            if origin == .local { _ = try await parentMissing(save) } else { try await save() }
        }
    }

    private func parentMissing(_ body: () async throws -> Void) async throws -> DataStoreError {
        let error = await #expect(throws: DataStoreError.self) { try await body() }
        #expect(error?.code == .parentMissing)
        return try #require(error)
    }
}
