import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

/// Changes that one person requests. The result of each change is compared with the oracle.
struct AuthChanges {
    typealias Sent = [String: FieldValue?]

    let world: AuthWorld
    let model: String
    let person: Person

    private var declared: [String] { world.oracle.text.models[model]?.fields.map(\.name) ?? [] }

    private func admitted(_ sent: Sent) -> Sent { sent.filter { declared.contains($0.key) || $0.key == "id" } }

    /// A value for each required text of the model.
    private var needed: Sent {
        var sent: Sent = [:]
        for (name, type) in world.oracle.text.models[model]?.fields ?? [] where type == "String!" { sent[name] = "n" }
        return sent
    }

    /// The inputs of creations: without an owner, with the person as the owner, with another owner, and with the id of an
    /// existing record.
    func creations(_ round: Int) -> [Sent] {
        let own = FieldValue.string(person.texts["sub"] ?? "x")
        let other = FieldValue.string("canary-bob-s::canary-bob-u")
        let name = FieldValue.string("new-\(model)-\(person)")
        let sent: [Sent] = [
            ["title": name], ["title": name, "secret": "s"], ["owner": own, "author": own, "editors": .list([own])],
            ["owner": other, "author": other, "editors": .list([other])], ["editors": .list([other, own])],
            ["owner": nil, "author": nil, "editors": nil], ["owner": "", "author": ""],
            ["author": other], ["team": "Admins", "teams": .list(["Staff"])], ["team": "Staff", "teams": .list(["x"])],
            ["id": .string("canary-\(model)-\(round)-id")], ["id": .string("canary-\(model)-4-id")],
            ["id": .string("canary-\(model)-9-id"), "title": name],
        ]
        return sent.map { admitted($0.merging(needed) { given, _ in given }) }
    }

    func updates(_ number: Int) -> [Sent] {
        let own = FieldValue.string(person.texts["sub"] ?? "x")
        let other = FieldValue.string("canary-bob-s::canary-bob-u")
        let sent: [Sent] = [
            ["title": .string("title of \(person)")], ["secret": "s2"], ["title": "t", "secret": nil], [:],
            ["owner": own], ["author": own], ["author": other], ["editors": .list([own])], ["editors": .list([other])],
            ["team": "Admins"], ["teams": .list(["Staff", "Admins"])],
        ]
        return [admitted(sent[number % sent.count]), admitted(sent[(number * 3 + 5) % sent.count])]
    }

    func create(_ sent: Sent) async throws {
        guard let name = world.query(model, { $0 == .mutation(.create) }) else { return }
        var before: AuthWorld.Values?
        if case .string(let id)?? = sent["id"] { before = try await world.stored(model, id) }
        let expected = world.oracle.created(person, model, sent, over: before)
        let response = try await world.ask(
            "mutation { \(name)(input: \(sent.literal)) { id } }", as: person, by: ["get"], about: [model])
        let what: Comment =
            "\(person) creates \(model) \(sent.literal): \(String(decoding: response.json, as: UTF8.self))"
        guard let expected else {
            #expect(response.isRefused, what)
            #expect(try await unchanged(before), what)
            return
        }
        if let before, before["_deleted"] != true {
            #expect(response.errors.map(\.errorType) == ["ConditionalCheckFailedException"], what)
            #expect(try await unchanged(before), what)
            return
        }
        #expect(response.errors.isEmpty, what)
        guard let id = response.data[name]?["id"]?.text else { return }
        let after = try await world.stored(model, id)
        for field in world.fields[model] ?? [] where field != "id" { #expect(after?[field] == expected[field], what) }
    }

    func update(_ id: String, _ sent: Sent) async throws {
        guard let name = world.query(model, { $0 == .mutation(.update) }) else { return }
        let before = try await world.stored(model, id)
        var input = sent
        input["id"] = .string(id)
        var document = "mutation { \(name)(input: \(input.literal)) { id _version } }"
        var result = before
        if let before, case .int(let version)? = before["_version"] {
            document.replace("(input: {", with: "(input: {_version: \(version), ")
            if before["_deleted"] != true { for (field, value) in sent { result?[field] = value } }
        }
        let isAllowed = world.oracle.mayUpdate(person, model, sent.keys.sorted(), before, result)
        let response = try await world.ask(document, as: person, by: ["get"], about: [model])
        let what: Comment = "\(person) updates \(model) \(document): \(String(decoding: response.json, as: UTF8.self))"
        guard isAllowed else {
            #expect(response.isRefused, what)
            #expect(try await unchanged(before), what)
            return
        }
        #expect(response.errors.isEmpty, what)
        let after = try await world.stored(model, id)
        for field in world.fields[model] ?? [] { #expect(after?[field] == result?[field], what) }
    }

    func delete(_ id: String) async throws {
        guard let name = world.query(model, { $0 == .mutation(.delete) }) else { return }
        let before = try await world.stored(model, id)
        var version: Int64 = 0
        if case .int(let number)? = before?["_version"] { version = number }
        let response = try await world.ask(
            "mutation { \(name)(input: {id: \"\(id)\", _version: \(version)}) { id _deleted } }", as: person,
            by: ["get"], about: [model])
        let what: Comment = "\(person) deletes \(model) \(id): \(String(decoding: response.json, as: UTF8.self))"
        guard world.oracle.mayDelete(person, model, before) else {
            #expect(response.isRefused, what)
            #expect(try await unchanged(before), what)
            return
        }
        if before == nil {
            #expect(response.errors.map(\.errorType) == ["ConditionalCheckFailedException"], what)
        } else {
            #expect(response.errors.isEmpty, what)
            #expect(response.data[name]?["_deleted"] == .bool(true), what)
        }
    }

    private func unchanged(_ before: AuthWorld.Values?) async throws -> Bool {
        guard let before, case .string(let id)? = before["id"] else { return true }
        return try await world.stored(model, id) == before
    }
}
