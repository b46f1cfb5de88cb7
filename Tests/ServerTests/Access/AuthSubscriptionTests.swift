import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogGraphQLExecution
import TidelogSynchronization

@testable import TidelogServer

@Suite("Rules and subscriptions")
struct AuthSubscriptionTests {
    private static let sdl = """
        type Note @model @auth(rules: [
          {allow: owner}, {allow: owner, ownerField: "readers", operations: [read]}, {allow: groups, groups: ["Admins"]}
          {allow: groups, groupsField: "teams", operations: [read]}
        ]) {
          id: ID!
          owner: String
          text: String
          readers: [String]
          teams: [String]
          secret: String @auth(rules: [{allow: groups, groups: ["Admins"]}, {allow: owner, operations: [create, update]}])
          parts: [Part] @hasMany(indexName: "byNote", fields: ["id"])
        }
        type Part @model @auth(rules: [{allow: groups, groups: ["Admins"]}]) {
          id: ID!
          noteId: ID @index(name: "byNote")
        }
        type News @model(subscriptions: {level: public}) @auth(rules: [{allow: groups, groups: ["Admins"]}]) {
          id: ID!
          text: String
          hidden: String @auth(rules: [{allow: groups, groups: ["Admins"]}])
        }
        type Open @model @auth(rules: [{allow: public, operations: [read]}, {allow: private}]) { id: ID! text: String }
        """

    /// The messages that the subscribers received, by the subscriber's name.
    private final class Told: Sendable {
        private let lines = Mutex<[String: [String]]>([:])
        func add(_ name: String) -> @Sendable (UInt64, [UInt8]) -> Void {
            { [self] _, bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                lines.withLock { $0[name, default: []].append(text) }
            }
        }
        subscript(name: String) -> [String] { lines.withLock { $0[name] ?? [] } }
    }

    private static func refusal(_ subscriptions: Subscriptions, _ query: String, _ person: Person) -> ResolverError? {
        do {
            _ = try subscriptions.prepare(ServiceRequest(query), from: person.caller)
            return nil
        } catch {
            return error as? ResolverError
        }
    }

    @Test(
        "each subscriber gets only the changes and the fields that the rules let them read at that time",
        arguments: Adapter.all)
    func told(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let subscriptions = Subscriptions(served.service)
        let told = Told()
        let selection = "{ id text secret parts { items { id } } }"
        for person in Person.all where ![Person.key, .eve].map(\.name).contains(person.name) {
            for kind in ["Create", "Update", "Delete"] {
                let query = "subscription { on\(kind)Note \(selection) }"
                if person.name == "gus" {
                    #expect(Self.refusal(subscriptions, query, person)?.errorType == "Unauthorized")
                    continue
                }
                _ = subscriptions.add(
                    try subscriptions.prepare(ServiceRequest(query), from: person.caller),
                    deliver: told.add(person.name))
            }
        }
        let changes = try await served.versions.changes()
        let following = Task { try await subscriptions.run(changes) }
        let requests: [(Person, String)] = [
            (.ann, #"createNote(input: {id: "1", text: "canary1", secret: "canary-s"}) { id }"#),
            (.ann, #"updateNote(input: {id: "1", text: "canary2", readers: ["canary-dan-s"], _version: 1}) { id }"#),
            (
                .ann,
                #"updateNote(input: {id: "1", text: "canary3", readers: [], teams: ["Staff"], _version: 2}) { id }"#
            ),
            (.bob, #"createPart(input: {id: "p", noteId: "1"}) { id }"#),
            (.bob, #"deleteNote(input: {id: "1", _version: 3}) { id }"#),
        ]
        for (person, mutation) in requests {
            let response = try await served.service.respond(
                to: ServiceRequest("mutation { \(mutation) }"), from: person.caller)
            #expect(response.errors.isEmpty, "\(mutation) \(String(decoding: response.json, as: UTF8.self))")
        }
        try await eventually { told["bob"].count == 4 && told["cyd"].count == 4 && told["ivy"].count == 4 }
        following.cancel()
        _ = await following.result
        #expect(told["ann"].count == 4)
        #expect(told["hal"].isEmpty)
        #expect(told["dan"].map { $0.contains("canary2") } == [true])
        #expect(told["bob"].allSatisfy { $0.contains("canary-s") && !$0.contains("errors") })
        #expect(told["bob"].last?.contains(#""parts":{"items":[{"id":"p"}]}"#) ?? false)
        for line in told["ann"] + told["dan"] {
            #expect(!line.contains("canary-s"))
            #expect(line.contains(#""secret":null,"parts":null"#))
            #expect(line.contains("Not Authorized to access secret on type Note"))
            #expect(line.contains("Not Authorized to access parts on type Note"))
        }
    }

    @Test("a caller may subscribe to their own records by any of their names, and an administrator to any owner's")
    func owners() async throws {
        let served = try await ServedSchema(Self.sdl)
        let subscriptions = Subscriptions(served.service)
        let query = { (owner: String) in "subscription { onCreateNote(owner: \(owner)) { id } }" }
        for name in ["canary-ann-s", "canary-ann-u", "canary-ann-s::canary-ann-u"] {
            let prepared = try subscriptions.prepare(ServiceRequest(query("\"\(name)\"")), from: Person.ann.caller)
            for stored in ["canary-ann-s", "canary-ann-s::canary-ann-u", "canary-bob-s", ""] {
                let record = Record(
                    model: "Note",
                    values: ["id": "n", "owner": .string(stored), Metadata.version: 1, Metadata.lastChangedAt: 1])
                let change = StoredChange(kind: .created, record: record, place: 1)
                let passes = try await prepared.passes(served.service.row(of: record), served.service)
                #expect((prepared.admits(change) && passes) == stored.hasPrefix("canary-ann"))
            }
        }
        for name in ["\"canary-bob-s\"", "\"\"", "null", "\"canary-ann\""] {
            #expect(Self.refusal(subscriptions, query(name), .ann)?.errorType == "Unauthorized", "\(name)")
        }
        #expect(Self.refusal(subscriptions, query("\"canary-ann-s\""), .bob) == nil)
        #expect(Self.refusal(subscriptions, query("\"canary-ann-s\""), .key)?.errorType == "Unauthorized")
    }

    @Test("a subscription whose filter uses a field that the caller may not read is refused")
    func filters() async throws {
        let served = try await ServedSchema(Self.sdl)
        let subscriptions = Subscriptions(served.service)
        for filter in [#"{secret: {beginsWith: "c"}}"#, #"{or: [{text: {eq: "x"}}, {and: [{secret: {ne: "c"}}]}]}"#] {
            let query = "subscription { onCreateNote(filter: \(filter)) { id } }"
            #expect(Self.refusal(subscriptions, query, .ann)?.message == "Unauthorized on [secret]")
            #expect(Self.refusal(subscriptions, query, .bob) == nil)
        }
        let news = #"subscription { onCreateNews(filter: {hidden: {eq: "x"}}) { id } }"#
        #expect(Self.refusal(subscriptions, news, .ann)?.message == "Unauthorized on [hidden]")
    }

    @Test("a public subscription is open to every caller, but fields with their own rules stay hidden")
    func publicLevel() async throws {
        let served = try await ServedSchema(Self.sdl)
        let subscriptions = Subscriptions(served.service)
        let told = Told()
        let query = ServiceRequest("subscription { onCreateNews { text hidden } }")
        for person in [Person.key, .ann, .bob] {
            _ = subscriptions.add(try subscriptions.prepare(query, from: person.caller), deliver: told.add(person.name))
        }
        let changes = try await served.versions.changes()
        let following = Task { try await subscriptions.run(changes) }
        _ = try await served.service.respond(
            to: ServiceRequest(#"mutation { createNews(input: {id: "1", text: "t", hidden: "canary"}) { id } }"#),
            from: Person.bob.caller)
        try await eventually { told["bob"].count == 1 && told["key"].count == 1 && told["ann"].count == 1 }
        following.cancel()
        _ = await following.result
        #expect(told["bob"].first == #"{"data":{"onCreateNews":{"text":"t","hidden":"canary"}}}"#)
        for name in ["key", "ann"] {
            #expect(
                told[name].first?.hasPrefix(#"{"data":{"onCreateNews":{"text":"t","hidden":null}},"errors""#) ?? false)
        }
    }

    @Test("subscribers share a selection if no rule distinguishes them, and otherwise have their own")
    func sharing() async throws {
        let open = try await ServedSchema(
            "type Open @model @auth(rules: [{allow: public, operations: [read]}, {allow: private}]) { id: ID! text: String }"
        )
        let ruled = try await ServedSchema(Self.sdl)
        let selection = { (served: ServedSchema, person: Person, fields: String) in
            try Subscriptions(served.service).prepare(
                ServiceRequest("subscription { onCreateOpen { \(fields) } }"), from: person.caller
            ).selection
        }
        #expect(try selection(open, .key, "id") == selection(open, .key, "id"))
        #expect(try selection(open, .ann, "id") == selection(open, .bob, "id"))
        #expect(try selection(open, .ann, "id") != selection(open, .ann, "text"))
        #expect(try selection(ruled, .key, "id") == selection(ruled, .key, "id"))
        #expect(try selection(ruled, .ann, "id") != selection(ruled, .bob, "id"))
        #expect(try selection(ruled, .ann, "id") == selection(ruled, .ann, "id"))
        // If two tokens of one person have different groups, their selections differ.
        var promoted = Person.ann
        promoted.lists["cognito:groups"] = ["Admins"]
        #expect(try selection(ruled, .ann, "id") != selection(ruled, promoted, "id"))
    }
}
