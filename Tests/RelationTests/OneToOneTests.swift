import Testing
import Tidelog
import TidelogCore

/// The schema has a `@hasOne` without fields and its `@belongsTo`, a `@hasOne` with fields, and a `@hasOne` by the same key.
@Suite("Relations one to one") struct OneToOneTests {
    private static let sdl = """
        type Project @model {
          id: ID!
          team: Team @hasOne
          leaderID: ID
          leader: Leader @hasOne(fields: ["leaderID"])
          facts: Facts @hasOne(fields: ["id"])
          place: Place @hasOne
        }
        type Team @model { id: ID! name: String project: Project @belongsTo }
        type Leader @model { id: ID! projectID: ID project: Project @belongsTo(fields: ["projectID"]) }
        type Facts @model { id: ID! text: String }
        type Place @model { id: ID! name: String }
        """

    private static func open(_ adapter: Adapter, indexed: Bool = true) async throws -> DataStore {
        var schema = try Schema(sdl: sdl)
        if !indexed { for index in schema.models.indices { schema.models[index].indexes = [] } }
        return try await DataStore.scratch(adapter, schema: schema)
    }

    private static func project(_ id: String, place: String? = nil) -> Record {
        var record = Record(model: "Project", values: ["id": .string(id), "leaderID": "l1"])
        if let place { record["projectPlaceId"] = .string(place) }
        return record
    }

    private static func team(_ id: String, _ project: String?, name: String = "") -> Record {
        var record = Record(model: "Team", values: ["id": .string(id), "name": .string(name)])
        if let project { record["teamProjectId"] = .string(project) }
        return record
    }

    private func refused(_ body: () async throws -> Void) async throws -> DataStoreError {
        let error = try #require(await #expect(throws: DataStoreError.self) { try await body() })
        #expect(error.code == .alreadyExists)
        return error
    }

    @Test(
        "a second record with the same partner is refused with an error that names the model and the relation",
        arguments: Adapter.allCases, [true, false])
    func refused(adapter: Adapter, indexed: Bool) async throws {
        let store = try await Self.open(adapter, indexed: indexed)
        try await store.save(Self.project("p"))
        try await store.save(Self.team("t1", "p"))
        let head = try store.head
        let error = try await refused { try await store.save(Self.team("t2", "p")) }
        #expect(error.model == "Team")
        #expect(error.field == "project")
        #expect(error.recordID == "t2")
        #expect(error.message.contains("Team") && error.message.contains("project"))
        #expect(!error.description.contains("t1") && !error.description.contains("t2"))
        _ = try await refused {
            try await store.save(Record(model: "Team", values: ["id": "t3", "teamProjectId": "p"]))
        }
        _ = try await refused {
            try await store.write { transaction in
                for id in ["t4", "t5"] { try transaction.save(Self.team(id, "q")) }
            }
        }
        #expect(try store.head == head)
        try await store.save(Record(model: "Leader", values: ["id": "l1", "projectID": "p"]))
        let leader = try await refused {
            try await store.save(Record(model: "Leader", values: ["id": "l2", "projectID": "p"]))
        }
        #expect(leader.model == "Leader" && leader.field == "project")
        #expect(try await store.fetch(Record.all(of: "Team")).map { $0["id"] } == ["t1"])
        try await store.close()
    }

    @Test(
        "a record can be saved again, partners can be exchanged, and a released partner can get another record",
        arguments: Adapter.allCases, [true, false])
    func taken(adapter: Adapter, indexed: Bool) async throws {
        let store = try await Self.open(adapter, indexed: indexed)
        try await store.save(Self.team("t1", "p"))
        try await store.save(Self.team("t2", "q"))
        try await store.save(Self.team("none", nil))
        try await store.save(Self.team("none too", nil))
        try await store.save(Self.team("t1", "p", name: "new"))
        try await store.write { transaction in
            try transaction.save(Self.team("t1", "q"))
            try transaction.save(Self.team("t2", "p"))
        }
        try await store.write { transaction in
            #expect(try transaction.fetch(Record.all(of: "Team")).count == 4)
            try transaction.delete("Team", id: "t1")
            try transaction.save(Self.team("t3", "q"))
            #expect(try transaction.fetch(Record.all(of: "Team")).count == 4)
            // A query sees the second team of `q` before the end of the write. The next save removes the conflict.
            try transaction.save(Self.team("t4", "q"))
            #expect(try transaction.fetch(Record.all(of: "Team")).count == 5)
            try transaction.save(Self.team("t4", nil))
        }
        _ = try await refused {
            try await store.write { transaction in
                try transaction.save(Self.team("t4", "q"))
                #expect(try transaction.fetch(Record.all(of: "Team")).count == 5)
            }
        }
        let teams = try await store.fetch(Record.all(of: "Team").where(.field("teamProjectId", .notEqual(nil))))
        #expect(teams.map { $0["id"] } == ["t2", "t3"])
        // In a group, a write sees the writes before it.
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await store.save(Self.team("u\(number)", "r"))
                        return true
                    } catch {
                        return false
                    }
                }
            }
            var savedCount = 0
            for await isSaved in group where isSaved { savedCount += 1 }
            #expect(savedCount == 1)
        }
        try await store.close()
    }

    @Test(
        "a second record with the same partner is accepted from a server, and can be saved again",
        arguments: Adapter.allCases)
    func remote(adapter: Adapter) async throws {
        let store = try await Self.open(adapter)
        try await store.save(Self.team("t1", "p"))
        let server = ServerState(version: 1, lastChangedAt: 2, isDeleted: false)
        try await store.write { try $0.append(received: Self.team("t2", "p"), server: server) }
        try await store.write { try $0.save(Self.team("t3", "p"), origin: .remote) }
        #expect(try await store.fetch(Record.all(of: "Team")).count == 3)
        try await store.save(Self.team("t2", "p", name: "again"))
        _ = try await refused { try await store.save(Self.team("t4", "p")) }
        #expect(try await store.fetch(Record.all(of: "Team")).count == 3)
        try await store.close()
    }

    @Test(
        "deleting a record deletes the partners that belong to it, and no other record", arguments: Adapter.allCases,
        [true, false])
    func cascades(adapter: Adapter, indexed: Bool) async throws {
        let store = try await Self.open(adapter, indexed: indexed)
        for id in ["p", "q"] {
            try await store.save(Self.project(id, place: "shared"))
            try await store.save(Self.team("team of \(id)", id))
            try await store.save(
                Record(model: "Leader", values: ["id": .string("leader of \(id)"), "projectID": .string(id)]))
            try await store.save(Record(model: "Facts", values: ["id": .string(id)]))
        }
        try await store.save(Record(model: "Place", values: ["id": "shared"]))
        // Both projects name this leader, but the leader does not name a project.
        try await store.save(Record(model: "Leader", values: ["id": "l1"]))
        #expect(try await store.delete("Project", id: "p").eventCount == 4)
        #expect(try await store.fetch(Record.all(of: "Team")).map { $0["id"] } == ["team of q"])
        #expect(try await store.fetch(Record.all(of: "Leader")).map { $0["id"] } == ["l1", "leader of q"])
        #expect(try await store.fetch(Record.all(of: "Facts")).map { $0["id"] } == ["q"])
        #expect(try await store.fetch(Record.all(of: "Place")).map { $0["id"] } == ["shared"])
        try await store.close()
    }

    @Test(
        "a conditional delete of a missing record does nothing and throws no error",
        arguments: Adapter.allCases)
    func absent(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        let head = try store.head
        let condition = Post.keys.title == "x"
        #expect(try await store.delete(Post("a", 1), where: condition).isEmpty)
        #expect(try await store.delete(Post.self, id: ModelID(["a", 1]), where: condition).isEmpty)
        let isDeleted = try await store.writeReturning {
            try $0.delete("Post", id: ["a", 1], where: condition.queryPredicate)
        }.result
        #expect(!isDeleted)
        #expect(try store.head == head)
        try await store.save(Post("a", 1, title: "y"))
        let error = await #expect(throws: DataStoreError.self) {
            try await store.delete(Post("a", 1), where: condition)
        }
        #expect(error?.code == .conditionFailed)
        try await store.close()
    }

    @Test("the record that has a given partner is found by an index") func plan() async throws {
        let store = try await Self.open(.lmdb)
        let plans = try await store.read { snapshot in
            try [
                snapshot.plan(Record.all(of: "Team").where(.field("teamProjectId", .equal("p")))),
                snapshot.plan(Record.all(of: "Leader").where(.field("projectID", .equal("p")))),
            ]
        }
        #expect(plans.map(\.index) == ["byProject", "byProject"])
        try await store.close()
    }
}
