import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Ways around the rules")
struct AuthAttackTests {
    private static let diary = """
        type Diary @model @auth(rules: [{allow: owner}, {allow: owner, ownerField: "editors", operations: [read, update]}]) {
          id: ID!
          title: String @index(name: "byTitle", queryField: "diariesByTitle")
          editors: [String]
          owner: String
        }
        type Worker @model @auth(rules: [{allow: private}, {allow: public, operations: [read]}]) {
          id: ID!
          name: String
          salary: Int @auth(rules: [{allow: groups, groups: ["Admins"]}])
            @index(name: "bySalary", queryField: "workersBySalary")
          bossId: ID @index(name: "byBoss") @auth(rules: [{allow: groups, groups: ["Admins"]}])
          reports: [Worker] @hasMany(indexName: "byBoss", fields: ["id"])
          boss: Worker @belongsTo(fields: ["bossId"])
          teamId: ID @index(name: "byTeam", queryField: "workersByTeam")
          tags: [String]
        }
        type Team @model @auth(rules: [{allow: private}]) {
          id: ID!
          workers: [Worker] @hasMany(indexName: "byTeam", fields: ["id"])
        }
        type Drop @model @auth(rules: [{allow: public, operations: [create, update]}, {allow: private}]) {
          id: ID!
          text: String
        }
        """

    private static func served(_ strategy: ConflictStrategy = .autoMerge) async throws -> ServedSchema {
        var options = ServiceOptions()
        options.strategy = strategy
        return try await ServedSchema(diary, options: options)
    }

    private static func ask(
        _ served: ServedSchema, _ person: Person, _ query: String, mutations: [String] = []
    ) async throws -> ServiceResponse {
        var request = ServiceRequest(query)
        if !mutations.isEmpty { try request.setMutations(header: mutations.joined(separator: ",")) }
        return try await served.service.respond(to: request, from: person.caller)
    }

    /// Creates Ann's diary entries `a1` to `a3` and Bob's `b1` to `b3`. In the order of their titles, the two people alternate.
    private static func diaries(_ served: ServedSchema) async throws {
        for number in 1...3 {
            for person in [Person.ann, .bob] {
                let id = "\(person.name.prefix(1))\(number)"
                let response = try await ask(
                    served, person,
                    "mutation { createDiary(input: {id: \"\(id)\", title: \"t\(number)\(id)\"}) { owner } }")
                #expect(response.errors.isEmpty)
            }
        }
    }

    @Test(
        "a field that the caller may not read cannot be used in a filter, an index query or a condition",
        arguments: [
            "{ listWorkers(filter: {salary: {gt: 5}}) { items { id } } }",
            "{ listWorkers(filter: {not: {salary: {gt: 5}}}) { items { id } } }",
            "{ listWorkers(filter: {or: [{name: {eq: \"x\"}}, {and: [{salary: {attributeExists: true}}]}]}) { items { id } } }",
            "{ syncWorkers(filter: {bossId: {size: {gt: 5}}}) { items { id } } }",
            "{ workersBySalary(salary: 5) { items { id } } }",
            "{ getTeam(id: \"t\") { workers(filter: {salary: {le: 5}}) { items { id } } } }",
            "{ listTeams { items { workers(filter: {or: [{not: {salary: {le: 5}}}]}) { items { id } } } } }",
            "mutation { updateTeam(input: {id: \"t\"}) { workers(filter: {bossId: {gt: \"b\"}}) { items { id } } } }",
            "mutation { updateWorker(input: {id: \"s\", name: \"x\", _version: 1}, condition: {salary: {gt: 5}}) { id } }",
            "mutation { deleteWorker(input: {id: \"s\", _version: 1}, condition: {not: {salary: {gt: 5}}}) { id } }",
            "mutation { createWorker(input: {id: \"n\"}, condition: {salary: {gt: 5}}) { id } }",
        ])
    func hiddenFields(query: String) async throws {
        let served = try await Self.served()
        for creation in [
            "createWorker(input: {id: \"s\", name: \"n\", teamId: \"t\"}) { id }",
            "createTeam(input: {id: \"t\"}) { id }",
        ] {
            #expect(try await Self.ask(served, .ann, "mutation { \(creation) }").errors.isEmpty)
        }
        let response = try await Self.ask(served, .ann, query)
        #expect(response.errors.map(\.errorType) == ["Unauthorized"])
        #expect(response.errors.first?.message.hasPrefix("Unauthorized on [") ?? false)
        // The rules let an administrator use the field.
        let other = try await Self.ask(served, .bob, query)
        #expect(!other.errors.contains { $0.errorType == "Unauthorized" }, "\(other.errors)")
    }

    @Test("a mutation of a field that the caller may not write is refused, and the error names the field")
    func written() async throws {
        let served = try await Self.served()
        let created = try await Self.ask(
            served, .ann, #"mutation { createWorker(input: {id: "s", salary: 5, bossId: "b", name: "n"}) { id } }"#)
        #expect(created.isRefused)
        #expect(created.errors.map(\.message) == ["Unauthorized on [bossId, salary]"])
        _ = try await Self.ask(served, .bob, #"mutation { createWorker(input: {id: "s", salary: 5}) { id salary } }"#)
        for value in ["7", "null"] {
            let query =
                "mutation { updateWorker(input: {id: \"s\", name: \"x\", salary: \(value), _version: 1}) { id } }"
            let updated = try await Self.ask(served, .ann, query)
            #expect(updated.errors.map(\.message) == ["Unauthorized on [salary]"])
        }
        let deleted = try await Self.ask(
            served, .ann, #"mutation { deleteWorker(input: {id: "s", _version: 1}) { id } }"#)
        #expect(deleted.errors.map(\.message) == ["Unauthorized on [bossId, salary]"])
        #expect(try await served.versions.record("Worker", "s")?.version == 1)
    }

    @Test("aliases, fragments and relations do not reveal a hidden field: it is null, and an error names it")
    func paths() async throws {
        let served = try await Self.served()
        _ = try await Self.ask(served, .bob, #"mutation { createWorker(input: {id: "b", name: "boss"}) { id } }"#)
        _ = try await Self.ask(
            served, .bob, #"mutation { createWorker(input: {id: "s", salary: 77, bossId: "b"}) { id } }"#)
        let query = """
            query { getWorker(id: "s") { ...F money: salary ... on Worker { salary } boss { id name } bossId } }
            fragment F on Worker { again: salary }
            """
        let response = try await Self.ask(served, .ann, query)
        #expect(
            response.data["getWorker"]
                == .object(["again": .null, "money": .null, "salary": .null, "boss": .null, "bossId": .null]))
        #expect(
            Set(response.errors.map(\.message)) == [
                "Not Authorized to access salary on type Worker", "Not Authorized to access boss on type Worker",
                "Not Authorized to access bossId on type Worker",
            ])
        #expect(response.errors.count == 5)
        let other = try await Self.ask(served, .bob, query)
        #expect(other.errors.isEmpty && other.data["getWorker"]?["boss"]?["name"] == .string("boss"))
        // No rule lets the API key read teams, so the response has an error in place of an empty list.
        let key = try await Self.ask(served, .key, "{ listTeams { items { id } } }")
        #expect(key.isRefused)
    }

    @Test("pages and tokens reveal nothing about another owner's records, and a token works only for its caller")
    func pages() async throws {
        let served = try await Self.served()
        try await Self.diaries(served)
        let list = { (argument: String) in "{ listDiaries(\(argument)limit: 2) { items { id } nextToken } }" }
        let first = try await Self.ask(served, .ann, list(""))
        #expect(first.data["listDiaries"]?["items"]?.elements.map { $0["id"]?.text } == ["a1", "a2"])
        let token = try #require(first.data["listDiaries"]?["nextToken"]?.text)
        let bytes = try #require(Base64URL.decode(token.utf8))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("a2"))
        let second = try await Self.ask(served, .ann, list("nextToken: \"\(token)\", "))
        #expect(second.data["listDiaries"]?["items"]?.elements.map { $0["id"]?.text } == ["a3"])
        // Three records of Bob exist, and the response shows Ann no sign of them.
        #expect(second.data["listDiaries"]?["nextToken"] == .null)
        let stolen = try await Self.ask(served, .bob, list("nextToken: \"\(token)\", "))
        #expect(stolen.errors.first?.message.contains("Invalid pagination token") ?? false)
        for guess in ["t1b1", "t2b2", "t9"] {
            let index = try await Self.ask(
                served, .ann, "{ diariesByTitle(title: \"\(guess)\", limit: 1) { items { id } nextToken } }")
            #expect(index.data["diariesByTitle"] == .object(["items": .list([]), "nextToken": .null]))
        }
    }

    @Test("a filter does not use an index whose order would reveal a field that the caller may not read")
    func order() async throws {
        let served = try await ServedSchema(
            """
            type Pay @model @auth(rules: [{allow: private}]) {
              id: ID!
              unit: String @index(name: "byUnit", sortKeyFields: ["amount"], queryField: "paysByUnit")
              amount: Int @auth(rules: [{allow: groups, groups: ["Admins"]}])
            }
            """)
        for (id, amount) in [("a", 9), ("b", 5), ("c", 7)] {
            let query = "mutation { createPay(input: {id: \"\(id)\", unit: \"u\", amount: \(amount)}) { id } }"
            #expect(try await Self.ask(served, .bob, query).errors.isEmpty)
        }
        for name in ["listPays", "syncPays"] {
            let query = "{ \(name)(filter: {unit: {eq: \"u\"}}) { items { id } } }"
            let ids = { (response: ServiceResponse) in
                response.data[name]?["items"]?.elements.compactMap { $0["id"]?.text } ?? []
            }
            #expect(ids(try await Self.ask(served, .ann, query)) == ["a", "b", "c"])
            #expect(ids(try await Self.ask(served, .bob, query)) == ["b", "c", "a"])
        }
        let index = #"{ paysByUnit(unit: "u") { items { id } } }"#
        #expect(try await Self.ask(served, .ann, index).errors.map(\.message) == ["Unauthorized on [amount]"])
        #expect(try await Self.ask(served, .bob, index).errors.isEmpty)
    }

    @Test(
        "if a change is written but its response needs a hidden field, the error says that it was written"
    )
    func writtenUnread() async throws {
        let served = try await ServedSchema(
            """
            type Pay @model @auth(rules: [{allow: private}]) {
              id: ID!
              note: String
              amount: Int! @auth(rules: [{allow: groups, groups: ["Admins"]}, {allow: private, operations: [create, update]}])
            }
            """)
        _ = try await Self.ask(served, .bob, #"mutation { createPay(input: {id: "p", amount: 5}) { id } }"#)
        let update = #"mutation { m: updatePay(input: {id: "p", note: "x", _version: 1}) { id amount } }"#
        let response = try await Self.ask(served, .dan, update)
        #expect(response.data["m"] == .null && response.errors.map(\.errorType) == ["Unauthorized"])
        #expect(response.errors.first?.message.hasSuffix("The change was written.") ?? false, "\(response.errors)")
        #expect(try await served.versions.record("Pay", "p")?.version == 2)
        let refused = try await Self.ask(served, .key, update)
        #expect(
            refused.errors.allSatisfy { !$0.message.contains("The change was written.") } && !refused.errors.isEmpty)
    }

    @Test("a caller who may update every record does not become its owner")
    func takingOver() async throws {
        let served = try await ServedSchema(
            """
            type Note @model @auth(rules: [{allow: owner}, {allow: private, operations: [read, update]},
              {allow: groups, groups: ["Admins"]}, {allow: owner, ownerField: "editors", operations: [read, update]}]) {
              id: ID!
              text: String
              secret: String @auth(rules: [{allow: owner}])
              owner: String
              editors: [String]
            }
            """)
        let created = try await Self.ask(
            served, .ann, #"mutation { createNote(input: {id: "n", text: "t", secret: "s"}) { owner } }"#)
        #expect(created.errors.isEmpty, "\(created.errors)")
        let stranger = Person.dan
        for field in [#"owner: "canary-dan-s""#, "owner: null", #"editors: ["canary-dan-s"]"#] {
            let taken = try await Self.ask(
                served, stranger, "mutation { updateNote(input: {id: \"n\", \(field), _version: 1}) { id secret } }")
            #expect(taken.isRefused, "\(field)")
        }
        #expect(try await served.versions.record("Note", "n")?.version == 1)
        let text = try await Self.ask(
            served, stranger, #"mutation { updateNote(input: {id: "n", text: "x", _version: 1}) { text } }"#)
        #expect(text.errors.isEmpty)
        let secret = try await Self.ask(served, stranger, #"{ getNote(id: "n") { secret } }"#)
        #expect(secret.data["getNote"]?["secret"] == .null)
        // The owner may share the record, and an administrator may give it to another owner.
        let shared = try await Self.ask(
            served, .ann, #"mutation { updateNote(input: {id: "n", editors: ["canary-dan-s"], _version: 2}) { id } }"#)
        #expect(shared.errors.isEmpty, "\(shared.errors)")
        let given = try await Self.ask(
            served, .bob, #"mutation { updateNote(input: {id: "n", owner: "bob", _version: 3}) { id } }"#)
        #expect(given.errors.isEmpty, "\(given.errors)")
    }

    @Test("updates of a missing record, another owner's record and another owner's tombstone get the same refusal")
    func existence() async throws {
        let served = try await Self.served()
        try await Self.diaries(served)
        _ = try await Self.ask(served, .bob, #"mutation { deleteDiary(input: {id: "b3", _version: 1}) { id } }"#)
        var answers = Set<[UInt8]>()
        for id in ["b1", "b3", "none"] {
            for query in [
                "mutation { m: updateDiary(input: {id: \"\(id)\", title: \"x\", _version: 1}) { id title } }",
                "mutation { m: updateDiary(input: {id: \"\(id)\", title: \"x\"}, condition: {title: {ge: \"a\"}}) { id } }",
            ] {
                let response = try await Self.ask(served, .ann, query)
                #expect(response.isRefused)
                answers.insert(response.json)
            }
        }
        #expect(answers.count == 1)
        for id in ["b1", "b3"] {
            let query = "mutation { createDiary(input: {id: \"\(id)\"}) { id title } }"
            #expect(try await Self.ask(served, .ann, query).isRefused)
        }
        #expect(
            try await Self.ask(served, .ann, #"mutation { createDiary(input: {id: "a1"}) { id } }"#).errors.map(
                \.errorType)
                == ["ConditionalCheckFailedException"])
    }

    @Test(
        "an editor may update a record but not its owner or editors, and an owner may not give it away",
        arguments: [ConflictStrategy.autoMerge, .optimistic])
    func takeover(strategy: ConflictStrategy) async throws {
        let served = try await Self.served(strategy)
        let cyd = #""canary-cyd-s""#
        _ = try await Self.ask(
            served, .ann, "mutation { createDiary(input: {id: \"a\", title: \"t\", editors: [\(cyd)]}) { id } }")
        let update = { (values: String) in "mutation { updateDiary(input: {id: \"a\", \(values), _version: 1}) { id } }"
        }
        for (person, values) in [
            (Person.cyd, "owner: \(cyd)"), (.cyd, "owner: null"), (.cyd, "editors: []"), (.cyd, "editors: [\"x\"]"),
            (.ann, "owner: \(cyd)"), (.ann, "owner: null"), (.ann, "owner: \"\""),
            (.bob, "editors: [\"canary-bob-s\"]"),
        ] {
            #expect(try await Self.ask(served, person, update(values)).isRefused, "\(person) \(values)")
        }
        #expect(try await served.versions.record("Diary", "a")?.version == 1)
        #expect(try await Self.ask(served, .cyd, update("title: \"by cyd\"")).errors.isEmpty)
        let own = "mutation { updateDiary(input: {id: \"a\", owner: \"canary-ann-s\", _version: 2}) { owner } }"
        #expect(try await Self.ask(served, .ann, own).data["updateDiary"]?["owner"] == .string("canary-ann-s"))
    }

    @Test("conflicts, merges and repeated ids reveal only key and metadata to a caller without read access")
    func conflicts() async throws {
        for strategy in [ConflictStrategy.autoMerge, .optimistic] {
            let served = try await Self.served(strategy)
            _ = try await Self.ask(served, .ann, #"mutation { createDrop(input: {id: "d", text: "canary"}) { id } }"#)
            let query = #"mutation { updateDrop(input: {id: "d", text: "x", _version: 9}) { id text _version } }"#
            let response = try await Self.ask(served, .key, query)
            #expect(response.errors.count == 1)
            #expect(!String(decoding: response.json, as: UTF8.self).contains("canary"))
            if case .optimistic = strategy {
                let data = response.errors[0].data
                #expect(data?["text"] == .null && data?["id"] == .string("d") && data?["_version"] == .int(1))
            } else {
                #expect(
                    response.data["updateDrop"] == .object(["id": .string("d"), "text": .null, "_version": .int(2)]))
            }
            // The response to a creation shows the values that its caller sent.
            let created = try await Self.ask(
                served, .key, #"mutation { createDrop(input: {id: "e", text: "mine"}) { text } }"#, mutations: ["m"])
            #expect(created.data["createDrop"]?["text"] == .string("mine"))
            // If the caller reuses the mutation's name for another caller's record, the response does not show that record.
            let repeated = try await Self.ask(
                served, .key, #"mutation { createDrop(input: {id: "d", text: "mine"}) { id text } }"#, mutations: ["m"])
            #expect(!String(decoding: repeated.json, as: UTF8.self).contains("canary"))
        }
    }

    @Test("a creation that meets a record shows the record only to a caller who may read it")
    func takenIDs() async throws {
        let served = try await Self.served()
        _ = try await Self.ask(served, .ann, #"mutation { createDrop(input: {id: "d", text: "canary"}) { id } }"#)
        let create = #"mutation { createDrop(input: {id: "d", text: "x"}) { id text _version } }"#
        for (person, data) in [
            (Person.key, nil),
            (.bob, ResponseValue.object(["id": .string("d"), "text": .string("canary"), "_version": .int(1)])),
        ] {
            let response = try await Self.ask(served, person, create)
            #expect(response.errors.map(\.errorType) == ["ConditionalCheckFailedException"])
            #expect(response.errors.first?.data == data, "\(person)")
        }
        // The rules of a field apply inside the record, too.
        _ = try await Self.ask(
            served, .bob, #"mutation { createWorker(input: {id: "w", name: "W", salary: 7}) { id } }"#)
        let worker = #"mutation { createWorker(input: {id: "w"}) { name salary } }"#
        for (person, salary) in [(Person.ann, ResponseValue.null), (.bob, .int(7))] {
            let response = try await Self.ask(served, person, worker)
            #expect(
                response.errors.map { $0.data } == [.object(["name": .string("W"), "salary": salary])], "\(person)")
        }
    }

    @Test("the mutation ids of each caller are separate, and a reused id does not reveal another caller's record")
    func names() async throws {
        let served = try await Self.served()
        let create = { (id: String) in "mutation { createDiary(input: {id: \"\(id)\", title: \"t\"}) { id title } }" }
        #expect(try await Self.ask(served, .ann, create("a"), mutations: ["m"]).errors.isEmpty)
        #expect(
            try await Self.ask(served, .bob, create("b"), mutations: ["m"]).data["createDiary"]?["id"] == .string("b"))
        // A repeated mutation gets the record as its answer. If a caller reuses the name for another mutation, the server
        // refuses it, for any record.
        #expect(
            try await Self.ask(served, .ann, create("a"), mutations: ["m"]).data["createDiary"]?["id"] == .string("a"))
        let other = try await Self.ask(served, .ann, create("b"), mutations: ["m"])
        #expect(other.errors.map(\.errorType) == ["MutationIDTaken"] && other.data["createDiary"] == .null)
    }

    @Test("names that look alike but differ in their bytes belong to different callers")
    func normalForms() async throws {
        let served = try await Self.served()
        let composed = Person(name: "é", provider: "userPools", texts: ["sub": "\u{e9}", "username": "u"])
        let decomposed = Person(name: "e", provider: "userPools", texts: ["sub": "e\u{301}", "username": "u2"])
        _ = try await Self.ask(served, composed, #"mutation { createDiary(input: {id: "d"}) { id } }"#)
        #expect(try await Self.ask(served, decomposed, #"{ getDiary(id: "d") { id } }"#).isRefused)
        #expect(try await Self.ask(served, composed, #"{ getDiary(id: "d") { id } }"#).errors.isEmpty)
    }

    @Test("introspection is open to every caller")
    func introspection() async throws {
        let served = try await Self.served()
        for person in Person.all {
            let response = try await Self.ask(
                served, person, "{ __schema { types { name } } __type(name: \"Team\") { name } }")
            #expect(response.errors.isEmpty && response.data["__type"]?["name"] == .string("Team"))
        }
    }
}
