import Testing
@_spi(Adapters) import Tidelog

@Suite("Cascading deletes") struct CascadeTests {
    /// The model and the key of a record, as one text.
    private typealias Name = String

    @Test(
        "a deletion also deletes the records that belong to the record, children first and each once",
        arguments: Adapter.allCases)
    func cascades(adapter: Adapter) async throws {
        var dice = Dice(2)
        for round in 0..<12 {
            let world = World(&dice, size: round < 8 ? 10 : 40)
            let store = try await DataStore.scratch(adapter)
            try await world.save(in: store)
            let before = try await names(in: store)
            let head = try store.head
            let roots = try await delete(&dice, world, store)
            let expected = closure(of: roots.filter { before.contains($0) }, in: world)
            let deleted = try await deletions(after: head, in: store)
            #expect(Set(deleted).count == deleted.count)
            #expect(Set(deleted) == expected)
            #expect(try await names(in: store) == before.subtracting(expected))
            // No record is deleted after its parent, unless they belong to each other in a circle.
            for (index, name) in deleted.enumerated() {
                for dependent in dependents(of: name, in: world) where deleted[..<index].contains(dependent) == false {
                    #expect(closure(of: [dependent], in: world).contains(name))
                }
            }
            try await store.close()
        }
    }

    /// Deletes random records. Returns the names of the records that the deletion asked for.
    private func delete(_ dice: inout Dice, _ world: World, _ store: DataStore) async throws -> Set<Name> {
        switch dice.roll(6) {
        case 0:
            let id = "a\(dice.roll(4))"
            try await store.delete(Author.self, id: id)
            return ["Author \(id)"]
        case 1:
            try await store.delete(all: Post.where(Post.keys.title == "x"))
            return Set(world.posts.filter { $0.title == "x" }.map(Self.name))
        case 2:
            let id = "g\(dice.roll(10))"
            try await store.delete(Category.self, id: id)
            return ["Category \(id)"]
        case 3:
            try await store.delete(all: Category.where(Category.keys.id > "g3"))
            return Set(world.categories.filter { $0.id > "g3" }.map { "Category \($0.id)" })
        case 4:
            let id = "t\(dice.roll(4))"
            try await store.delete(Tag.self, id: id)
            return ["Tag \(id)"]
        default:
            try await store.delete(all: Author.all)
            return Set(world.authors.map { "Author \($0.id)" })
        }
    }

    private static func name(_ post: Post) -> Name { "Post \(post.slug) \(post.year)" }

    private func dependents(of name: Name, in world: World) -> [Name] {
        let id = String(name.drop { $0 != " " }.dropFirst())
        if name.hasPrefix("Author ") {
            return world.posts.filter { $0.authorID == id }.map(Self.name)
                + world.profiles.filter { $0.authorID == id }.map { "Profile \($0.id)" }
        }
        if name.hasPrefix("Post "), let post = world.posts.first(where: { Self.name($0) == name }) {
            return world.comments(of: post).map { "Comment \($0.id)" }
                + world.joins.filter { $0.postSlug == post.slug && $0.postYear == post.year }.map {
                    "PostTags \($0.id)"
                }
        }
        if name.hasPrefix("Tag ") { return world.joins.filter { $0.tagID == id }.map { "PostTags \($0.id)" } }
        if name.hasPrefix("Category ") {
            return world.categories.filter { $0.parentID == id }.map { "Category \($0.id)" }
        }
        return []
    }

    private func closure(of roots: Set<Name>, in world: World) -> Set<Name> {
        var found = roots
        var next = Array(roots)
        while let name = next.popLast() {
            for dependent in dependents(of: name, in: world) where found.insert(dependent).inserted {
                next.append(dependent)
            }
        }
        return found
    }

    private func names(in store: DataStore) async throws -> Set<Name> {
        try await store.read { snapshot in
            var names: Set<Name> = []
            for model in Blog.schema.models {
                try snapshot.forEachRow(Record.all(of: model.name)) { row, layout in
                    names.insert(Self.name(layout.name, try layout.recordID(of: row.row)))
                    return true
                }
            }
            return names
        }
    }

    private static func name(_ model: String, _ id: RecordID) -> Name {
        ([model]
            + id.components.map { component in
                switch component {
                case .string(let text): text
                case .int(let number): "\(number)"
                default: "?"
                }
            }).joined(separator: " ")
    }

    private func deletions(after position: Position, in store: DataStore) async throws -> [Name] {
        let head = try store.head
        guard head.sequence > position.sequence else { return [] }
        var names: [Name] = []
        for try await event in store.events(after: position) {
            #expect(event.kind == .deleted)
            if let model = event.model, let id = event.recordID { names.append(Self.name(model, id)) }
            if event.sequence == head.sequence {
                #expect(event.commit.value == position.sequence.value + 1, "one commit")
                break
            }
        }
        return names
    }

    @Test("a deletion without cascading leaves the records that belong to the record") func alone() async throws {
        let store = try await DataStore.scratch()
        let post = Post("a", 1)
        for deletes in 0..<5 {
            try await store.save(post)
            try await store.save(Comment(id: "c", post: ("a", 1)))
            let eventCount =
                switch deletes {
                case 0: try await store.delete(post, cascading: false).eventCount
                case 1: try await store.delete(Post.self, id: post.modelID, cascading: false).eventCount
                case 2: try await store.delete(all: Post.all, cascading: false).eventCount
                case 3: try await store.write { try $0.delete(post, cascading: false) }.eventCount
                default: try await store.write { try $0.delete("Post", id: ["a", 1], cascading: false) }.eventCount
                }
            #expect(eventCount == 1)
            #expect(try await store.count(Comment.all) == 1)
        }
    }

    @Test("a deletion's condition is tested only on the record itself, and only the record's event has it")
    func condition() async throws {
        let store = try await DataStore.scratch()
        try await store.save(Post("a", 1, title: "x"))
        try await store.save(Comment(id: "c", post: ("a", 1)))
        let error = await #expect(throws: DataStoreError.self) {
            try await store.delete(Post("a", 1), where: Post.keys.title == "y")
        }
        #expect(error?.code == .conditionFailed)
        #expect(try await store.count(Comment.all) == 1)
        let head = try store.head
        try await store.delete(Post("a", 1), where: Post.keys.title == "x")
        var conditions: [String?] = []
        for try await event in store.events(after: head) {
            conditions.append(event.condition)
            if event.isLastInCommit { break }
        }
        #expect(conditions == [nil, #"title == "x""#])
    }

    @Test("deleting a record also deletes the records that belong to it and were saved in the same transaction")
    func staged() async throws {
        let store = try await DataStore.scratch()
        try await store.write { transaction in
            try transaction.save(Author(id: "a"))
            try transaction.save(Post("p", 1, authorID: "a"))
            try transaction.save(Comment(id: "c", post: ("p", 1)))
            #expect(try transaction.delete(Author.self, id: "a"))
            #expect(try transaction.count(Comment.all) == 0)
        }
        #expect(try await store.count(Post.all) == 0)
    }
}
