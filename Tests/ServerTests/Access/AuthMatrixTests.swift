import ServerSupport
import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Rules, operations and people", .databaseToo, .timeLimit(.minutes(10)))
struct AuthMatrixTests {
    /// The rules of a model, and the rules of its field `secret`.
    static let rules: [(model: String, secret: String)] = [
        ("", ""), ("{allow: owner}", ""), (#"{allow: owner, ownerField: "editors"}"#, ""),
        (#"{allow: owner}, {allow: owner, ownerField: "editors", operations: [update, read]}"#, ""),
        (#"{allow: groups, groups: ["Admins"]}, {allow: owner, operations: [create, read]}"#, ""),
        (#"{allow: groups, groupsField: "team"}"#, ""),
        (
            #"{allow: groups, groupsField: "teams", groupClaim: "roles", provider: oidc}, "#
                + #"{allow: owner, provider: oidc, identityClaim: "user_id"}"#, ""
        ),
        ("{allow: private, operations: [read]}, {allow: owner}", ""),
        ("{allow: public, operations: [read]}, {allow: private, provider: oidc}", ""), ("{allow: public}", ""),
        ("{allow: private, provider: iam}, {allow: custom}", ""),
        ("{allow: owner, operations: [create, update, delete]}, {allow: private, operations: [get, list]}", ""),
        ("{allow: public, operations: [create]}, {allow: owner, operations: [read, delete]}", ""),
        ("{allow: private}", #"{allow: owner, ownerField: "author"}"#),
        (#"{allow: owner, identityClaim: "email"}"#, ""),
        (
            "{allow: public}, {allow: private}",
            #"{allow: groups, groups: ["Admins"]}, {allow: owner, operations: [get]}"#
        ),
        (#"{allow: owner, ownerField: "author"}, {allow: groups, groupsField: "teams"}"#, "{allow: private}"),
        ("", "{allow: private, operations: [read]}"),
    ]

    static func model(_ name: String, _ rules: (model: String, secret: String)) -> String {
        let auth = { (rules: String) in rules.isEmpty ? "" : " @auth(rules: [\(rules)])" }
        let owner = rules.model.contains("email") ? "owner: String" : ""
        return """
            type \(name) @model\(auth(rules.model)) {
              id: ID!
              title: String @index(name: "by\(name)", queryField: "by\(name)")
              secret: String\(auth(rules.secret))
              editors: [String]
              author: String
              team: String
              teams: [String]
              \(owner)
            }

            """
    }

    static var sdl: String {
        get throws {
            rules.enumerated().map { model("M\($0.offset)x", $0.element) }.joined()
                + (try Checkout.text("Tests/Fixtures/api/auth.graphql"))
        }
    }

    @Test(
        "every caller can read exactly what the oracle allows, by get, list, sync and index queries",
        arguments: Adapter.all)
    func reading(adapter: Adapter) async throws {
        let world = try await AuthWorld(Self.sdl, on: adapter)
        try await world.fill(10)
        var count = 0
        for model in world.models {
            for person in Person.all {
                for record in try await world.stored(model) {
                    try await get(world, model, person, record)
                    count += 1
                }
                try await getMissing(world, model, person)
                for operation in ["list", "sync", "index"] {
                    try await list(world, model, person, operation)
                    count += 1
                }
            }
        }
        #expect(count >= 300)
    }

    private func get(_ world: AuthWorld, _ model: String, _ person: Person, _ record: AuthWorld.Values) async throws {
        guard let name = world.query(model, { $0 == .get }), case .string(let id)? = record["id"] else { return }
        let response = try await world.ask(
            "{ \(name)(id: \"\(id)\") { \(world.selection(model)) } }", as: person, by: ["get"], about: [model])
        guard world.oracle.allows(person, "get", model, record) else {
            #expect(response.isRefused, "\(person) got \(model) \(id)")
            #expect(response.errors.first?.message == "Not Authorized to access \(name) on type Query")
            return
        }
        try expect(response.data[name], record, world, model, person, "get")
        let hidden = world.fields[model]?.filter { !world.oracle.sees(person, $0, of: model, record, by: "get") } ?? []
        #expect(
            response.errors.map(\.message).sorted()
                == hidden.map { "Not Authorized to access \($0) on type \(model)" }.sorted())
        #expect(response.errors.allSatisfy { $0.errorType == "Unauthorized" })
    }

    /// Gets a record that does not exist. Unless the rules let the person read every record, the response is a refusal, as for
    /// an existing record that the person may not read.
    private func getMissing(_ world: AuthWorld, _ model: String, _ person: Person) async throws {
        guard let name = world.query(model, { $0 == .get }) else { return }
        let response = try await world.ask("{ \(name)(id: \"none\") { id } }", as: person, by: ["get"], about: [model])
        if world.oracle.allows(person, "get", model, nil) {
            #expect(response.errors.isEmpty && response.data[name] == .null)
        } else {
            #expect(response.isRefused)
        }
    }

    private func list(_ world: AuthWorld, _ model: String, _ person: Person, _ path: String) async throws {
        let operation = path == "index" ? "list" : path
        let name = world.query(model) { kind in
            switch (path, kind) {
            case ("list", .list), ("sync", .sync), ("index", .index): true
            default: false
            }
        }
        guard let name else { return }
        let records = try await world.stored(model)
        let argument = path == "index" ? "title: \"canary-\(model)-1-title\", " : ""
        let response = try await world.ask(
            "{ \(name)(\(argument)limit: 1000) { items { \(world.selection(model)) } nextToken } }", as: person,
            by: [operation], about: [model])
        guard world.oracle.couldAllow(person, operation, model) else {
            #expect(response.isRefused, "\(person) \(path) \(model)")
            return
        }
        let expected = records.filter { record in
            world.oracle.allows(person, operation, model, record)
                && (path != "index" || record["title"] == .string("canary-\(model)-1-title"))
        }
        let items = response.data[name]?["items"]?.elements ?? []
        #expect(items.map { $0["id"]?.text } == expected.map { $0["id"]?.text }, "\(person) \(path) \(model)")
        for (item, record) in zip(items, expected) { try expect(item, record, world, model, person, operation) }
    }

    private func expect(
        _ found: ResponseValue?, _ record: AuthWorld.Values, _ world: AuthWorld, _ model: String, _ person: Person,
        _ operation: String
    ) throws {
        let found = try #require(found)
        for field in world.fields[model] ?? [] {
            let isSeen = world.oracle.sees(person, field, of: model, record, by: operation)
            #expect(found[field] == (isSeen ? record[field]?.response ?? .null : .null), "\(person) \(model).\(field)")
        }
    }

    @Test("every caller can create, update and delete exactly what the oracle allows", arguments: Adapter.all)
    func changing(adapter: Adapter) async throws {
        let world = try await AuthWorld(Self.sdl, on: adapter)
        try await world.fill(10)
        var count = 0
        for model in world.models {
            for (round, person) in Person.all.enumerated() {
                let changes = AuthChanges(world: world, model: model, person: person)
                for sent in changes.creations(round) {
                    try await changes.create(sent)
                    count += 1
                }
                for number in 0..<10 {
                    for sent in changes.updates(number) {
                        try await changes.update("canary-\(model)-\(number)-id", sent)
                        count += 1
                    }
                }
                for id in ["canary-\(model)-\(round)-id", "canary-\(model)-\((round + 3) % 10)-id", "none"] {
                    try await changes.delete(id)
                    count += 1
                }
            }
        }
        #expect(count >= 300)
    }
}
