import ServerSupport
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution
import TidelogJSON

@testable import TidelogServer

@Suite("Conflicts that a handler decides", .databaseToo)
struct CustomConflictTests {
    // MARK: Verdicts

    @Test(
        "RESOLVE: the record gets the values of the item, but keeps its key and metadata",
        arguments: Adapter.persistent)
    func resolve(adapter: Adapter) async throws {
        let scene = try await ConflictScene(
            .custom { conflict in
                var record = conflict.existingItem
                record["jersey"] = conflict.newItem["jersey"]
                record["id"] = "other"
                record["_version"] = .int(99)
                record["_deleted"] = .bool(true)
                return .record(record)
            }, on: adapter)
        #expect(
            try await scene.update(selecting: "id name jersey _version _deleted")
                == #"{"data":{"updatePlayer":{"id":"1","name":"Nadia","jersey":55,"_version":3,"_deleted":null}}}"#)
    }

    @Test("RESOLVE: fields that the item lacks become null, except createdAt and updatedAt, which the server sets")
    func resolveReplaces() async throws {
        let scene = try await ConflictScene(
            .custom { _ in .resolve(["name": .string("New"), "__typename": .string("Player")]) })
        let before = try await scene.stored()
        #expect(
            try await scene.update() == #"{"data":{"updatePlayer":{"name":"New","jersey":null,"_version":3}}}"#)
        #expect(try await scene.stored()?["createdAt"] == before?["createdAt"])
        #expect(try await scene.stored()?["updatedAt"] != nil)
    }

    @Test(
        "RESOLVE: an item that does not fit the model's types is refused",
        arguments: [
            ["name": .null], ["name": .int(1)], ["name": .string("N"), "jersey": .string("5")],
            ["name": .string("N"), "color": .string("red")], ["name": .string("N"), "born": .string("yesterday")],
            ["name": .string("N"), "level": .string("wizard")], ["name": .string("N"), "home": ["zip": .string("1")]],
            ["name": .string("N"), "home": ["city": .string("1"), "size": .int(1)]],
            ["name": .string("N"), "points": .int(1)], ["name": .string("N"), "points": .list([.bool(true)])],
            ["name": .string("N"), "createdAt": .null], ["name": .string("N"), "__typename": .string("Team")], [:],
        ] as [InputObject])
    func misfit(item: InputObject) async throws {
        let scene = try await ConflictScene(.custom { _ in .resolve(item) })
        let before = try await scene.stored()
        let response = try await scene.update()
        #expect(response.isRefused("ConflictError", version: 2), "\(response)")
        #expect(try await scene.stored() == before)
    }

    @Test("RESOLVE: a value of every type is stored as the handler returns it")
    func everyType() async throws {
        let scene = try await ConflictScene(.custom { .record($0.newItem) })
        #expect(
            try await scene.update(
                #"born: "2001-02-03", level: expert, home: {city: "Oslo"}, points: [1, null]"#,
                selecting: "name jersey born level home { city zip } points")
                == #"{"data":{"updatePlayer":{"name":"Nadia","jersey":6,"born":"2001-02-03","level":"expert","#
                + #""home":{"city":"Oslo","zip":null},"points":[1,null]}}}"#)
    }

    @Test("REJECT refuses updates and deletions, and the error contains the stored record")
    func reject() async throws {
        let scene = try await ConflictScene(.custom { _ in .reject })
        for response in [try await scene.update(), try await scene.delete()] {
            #expect(response.isRefused("ConflictUnhandled", version: 2), "\(response)")
        }
    }

    @Test("REMOVE is accepted for a deletion and refused for an update")
    func remove() async throws {
        let scene = try await ConflictScene(.custom { _ in .remove })
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
        #expect(
            try await scene.delete() == #"{"data":{"deletePlayer":{"name":"Nadia","_version":3,"_deleted":true}}}"#)
    }

    @Test("RESOLVE is refused for a deletion")
    func resolveDeletion() async throws {
        let scene = try await ConflictScene(.custom { .record($0.existingItem) })
        #expect(try await scene.delete().isRefused("ConflictError", version: 2))
        #expect(try await scene.stored()?.version == 2)
    }

    @Test("a handler that throws refuses the change")
    func throwing() async throws {
        struct Failed: Error {}
        let scene = try await ConflictScene(.custom { _ in throw Failed() })
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
    }

    // MARK: When the handler is asked

    @Test("the handler is not asked if there is no conflict or if the record is deleted")
    func notAsked() async throws {
        let scene = try await ConflictScene(
            .custom { _ in
                Issue.record("it was asked")
                return .reject
            })
        #expect(
            try await scene.served.ask(
                #"mutation { updatePlayer(input: {id: "1", jersey: 7, _version: 2}) { jersey } }"#)
                == #"{"data":{"updatePlayer":{"jersey":7}}}"#)
        #expect(
            try await scene.served.ask(#"mutation { createPlayer(input: {id: "1", name: "Else"}) { id } }"#)
                .contains("ConditionalCheckFailedException"))
        _ = try await scene.served.data(#"mutation { deletePlayer(input: {id: "1", _version: 3}) { id } }"#)
        #expect(try await scene.update() == #"{"data":{"updatePlayer":{"name":"Nadia","jersey":7,"_version":4}}}"#)
    }

    @Test("the condition is checked on the stored record, after the handler was asked")
    func condition() async throws {
        let asked = Shared(0)
        let scene = try await ConflictScene(
            .custom { conflict in
                asked.update { $0 += 1 }
                return .record(conflict.newItem)
            })
        func update(_ condition: String) async throws -> String {
            try await scene.served.ask(
                """
                mutation { updatePlayer(input: {id: "1", jersey: 50, _version: 1}, condition: {jersey: \(condition)})
                  { jersey } }
                """)
        }
        #expect(try await update("{eq: 50}").contains("ConditionalCheckFailedException"))
        #expect(asked.value == 1)
        #expect(try await update("{eq: 6}") == #"{"data":{"updatePlayer":{"jersey":50}}}"#)
    }

    @Test("the handler gets both records, the arguments, the resolver and the caller's identity")
    func payload() async throws {
        let seen = Shared<[UInt8]>([])
        let scene = try await ConflictScene(
            .custom { conflict in
                seen.set(conflict.json)
                return .reject
            })
        let claims = TokenClaims(
            [
                JSONValue.Member("sub", .string("u1")), JSONValue.Member("cognito:groups", .array([.string("staff")])),
                JSONValue.Member("username", .string("nadia")), JSONValue.Member("exp", .int(9)),
            ],
            subject: "u1", issuer: "https://issuer.example", expiresAt: 9)
        let request = ServiceRequest(
            #"mutation ($v: Int) { updatePlayer(input: {id: "1", _version: $v, jersey: 55}) { id } }"#,
            variables: ["v": .int(1)])
        _ = try await scene.served.service.respond(to: request, from: .token(claims, of: .userPools))
        let json = try JSONValue(parsing: seen.value)
        for (item, jersey, version) in [("newItem", Int64(55), Int64(3)), ("existingItem", 6, 2)] {
            #expect(json[item]?["__typename"] == .string("Player"))
            #expect(json[item]?["name"] == .string("Nadia"))
            #expect(json[item]?["jersey"] == .int(jersey))
            #expect(json[item]?["_version"] == .int(version))
            #expect(json[item]?["_deleted"] == .null)
            #expect(json[item]?["home"] == .null)
        }
        #expect(json["arguments"]?["input"]?["_version"] == .int(1))
        #expect(
            json["resolver"]
                == .object([
                    JSONValue.Member("tableName", .string("Player")), JSONValue.Member("awsRegion", .string("local")),
                    JSONValue.Member("parentType", .string("Mutation")),
                    JSONValue.Member("field", .string("updatePlayer")),
                    JSONValue.Member("outputType", .string("Player")),
                ]))
        #expect(json["identity"]?["sub"] == .string("u1"))
        #expect(json["identity"]?["username"] == .string("nadia"))
        #expect(json["identity"]?["groups"] == .array([.string("staff")]))
        #expect(json["identity"]?["issuer"] == .string("https://issuer.example"))
        #expect(json["identity"]?["claims"]?["exp"] == .int(9))
        #expect(json["identity"]?["sourceIp"] == .null)
        _ = try await scene.update()
        #expect(try JSONValue(parsing: seen.value)["identity"] == .null)
    }

    @Test("the new item of a deletion is the tombstone")
    func deletedItem() async throws {
        let seen = Shared<Record?>(nil)
        let scene = try await ConflictScene(
            .custom { conflict in
                seen.set(conflict.newItem)
                return .reject
            })
        _ = try await scene.delete()
        #expect(seen.value?.isTombstone == true)
        #expect(seen.value?["jersey"] == .int(6))
    }

    // MARK: Races

    @Test("if the record changes while the handler decides, the handler is asked again with the new record")
    func askedAgain() async throws {
        let versions = Shared<[Int64]>([])
        let service = Shared<ServedSchema?>(nil)
        let scene = try await ConflictScene(
            .custom { conflict in
                versions.update { $0.append(conflict.existingItem.version) }
                if versions.value.count == 1 {
                    // While the handler runs, other requests can write.
                    _ = try await service.value?.data(
                        #"mutation { updatePlayer(input: {id: "1", name: "Meanwhile", _version: 2}) { id } }"#)
                }
                return .record(conflict.newItem)
            })
        service.set(scene.served)
        #expect(
            try await scene.update()
                == #"{"data":{"updatePlayer":{"name":"Meanwhile","jersey":55,"_version":4}}}"#)
        #expect(versions.value == [2, 3])
        service.set(nil)
    }

    @Test("a record that is deleted while the handler decides stays deleted")
    func deletedMeanwhile() async throws {
        let service = Shared<ServedSchema?>(nil)
        let scene = try await ConflictScene(
            .custom { conflict in
                _ = try await service.value?.data(
                    #"mutation { deletePlayer(input: {id: "1", _version: 2}) { id } }"#)
                return .record(conflict.newItem)
            })
        service.set(scene.served)
        #expect(
            try await scene.update(selecting: "jersey _version _deleted")
                == #"{"data":{"updatePlayer":{"jersey":6,"_version":3,"_deleted":true}}}"#)
        service.set(nil)
    }

    @Test("a change is refused after five rounds if the record changes in each of them")
    func maximumConflicts() async throws {
        let rounds = Shared(0)
        let service = Shared<ServedSchema?>(nil)
        let scene = try await ConflictScene(
            .custom { conflict in
                rounds.update { $0 += 1 }
                let version = conflict.existingItem.version
                _ = try await service.value?.data(
                    "mutation { updatePlayer(input: {id: \"1\", points: [1], _version: \(version)}) { id } }")
                return .record(conflict.newItem)
            })
        service.set(scene.served)
        #expect(try await scene.update().isRefused("MaxConflicts", version: 7))
        #expect(rounds.value == 5)
        #expect(try await scene.stored()?["jersey"] == .int(6))
        service.set(nil)
    }

    @Test("a change is refused if the handler takes too long, even if the handler ignores cancellation")
    func timeLimit() async throws {
        let gate = Shared(false)
        let scene = try await ConflictScene(
            .custom { _ in
                while !gate.value { try? await Task.sleep(for: .milliseconds(10)) }
                return .remove
            }, timeLimit: .milliseconds(50))
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
        gate.set(true)
    }
}
