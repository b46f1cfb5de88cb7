import Testing
import Tidelog

@Suite("Keys") struct KeyTests {
    @Test("new ids are UUIDs of version 7 in lower case, and each is greater than the one before") func ids() {
        var last = ""
        for _ in 0..<50_000 {
            let id = UUIDv7.next()
            guard id > last, id.utf8.count == 36 else {
                Issue.record("\(id) after \(last)")
                return
            }
            last = id
        }
        #expect(last.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }

    @Test("ids that concurrent tasks make are all different, and the ids of each task rise") func concurrency() async {
        let ids = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { (0..<5_000).map { _ in UUIDv7.next() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids.joined()).count == 40_000)
        for made in ids { #expect(made == made.sorted()) }
    }

    @Test("an index query uses the index's first fields and a condition on the next field, and gives the index's order")
    func indexes() async throws {
        let store = try await DataStore.scratch(.lmdb)
        try await store.save([Post("a", 1), Post("b", 1)])
        try await store.save((0..<9).map { Comment(id: "\($0)", place: 8 - $0, post: ($0 < 7 ? "a" : "b", 1)) })
        #expect(try await store.fetch(query(.greater(5))).map(\.place) == [6, 7, 8])
        #expect(try await store.fetch(query(.between(2, 4)).descending).map(\.place) == [4, 3, 2])
        #expect(try await store.fetch(query(.lessOrEqual(4)).limit(1)).map(\.place) == [2])
        let found = try await store.writeReturning { try $0.fetch(query(.equal(3))).count }.result
        #expect(found == 1)
        let plan = try await store.read { snapshot in
            let asked = query(.less(4))
            #expect(try snapshot.fetch(asked).count == 2)
            return try snapshot.plan(asked)
        }
        #expect(plan.index == "byPost")
        #expect(!plan.sorts)
    }
}

private func query(_ condition: KeyCondition<Int>) -> Query<Comment> {
    Query(
        where: .and([
            ModelPredicate(.field("postSlug", .equal("a")) && .field("postYear", .equal(1))),
            condition.predicate(on: Comment.keys.place),
        ]), sort: .ascending(Comment.keys.place))
}
