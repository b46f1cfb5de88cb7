import ServerSupport
import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Versions and conflicts", .databaseToo)
struct ConflictTests {
    static let sdl = """
        type Player @model { id: ID! name: String jersey: Int interests: [String] points: [Int] home: Place }
        type Place { city: String zip: String }
        """

    private static func create(_ served: ServedSchema, versions: Int64 = 4) async throws {
        _ = try await served.data(
            #"mutation { createPlayer(input: {id: "1", name: "Nadia", jersey: 5}) { id } }"#)
        for version in 1..<versions {
            _ = try await served.data(
                "mutation { updatePlayer(input: {id: \"1\", jersey: 5, _version: \(version)}) { id } }")
        }
    }

    @Test("an update with an old version is merged, and the stored values win", arguments: Adapter.persistent)
    func autoMerge(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        try await Self.create(served)
        #expect(
            try await served.ask(
                #"mutation { updatePlayer(input: {id: "1", jersey: 55, _version: 2}) { name jersey _version } }"#)
                == #"{"data":{"updatePlayer":{"name":"Nadia","jersey":5,"_version":5}}}"#)
    }

    @Test("a merge joins lists, fills missing values and merges embedded values, and a null removes nothing")
    func mergesByType() async throws {
        let served = try await ServedSchema(Self.sdl)
        _ = try await served.data(
            """
            mutation { createPlayer(input: {id: "1", jersey: 5, points: [24, 30], home: {city: "Rome"}}) { id } }
            """)
        _ = try await served.data(#"mutation { updatePlayer(input: {id: "1", _version: 1}) { id } }"#)
        #expect(
            try await served.ask(
                """
                mutation { updatePlayer(input: {id: "1", jersey: null, name: "Nadia", points: [30],
                  home: {city: "Oslo", zip: "1"}, _version: 1}) { name jersey points home { city zip } _version } }
                """)
                == #"{"data":{"updatePlayer":{"name":"Nadia","jersey":5,"points":[24,30,30],"#
                + #""home":{"city":"Rome","zip":"1"},"_version":3}}}"#)
    }

    @Test("an update with the stored version replaces the values that it gives, and null removes a value")
    func currentVersion() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served)
        #expect(
            try await served.ask(
                """
                mutation { updatePlayer(input: {id: "1", jersey: 55, name: null, _version: 4}) { name jersey _version } }
                """
            )
                == #"{"data":{"updatePlayer":{"name":null,"jersey":55,"_version":5}}}"#)
    }

    @Test(
        "optimistic: an update with a version other than the stored one is refused, with the stored record",
        arguments: ["2", "9"])
    func optimistic(version: String) async throws {
        var options = ServiceOptions()
        options.strategies["Player"] = .optimistic
        let served = try await ServedSchema(Self.sdl, options: options)
        try await Self.create(served)
        #expect(
            try await served.ask(
                "mutation { updatePlayer(input: {id: \"1\", jersey: 55, _version: \(version)}) { _version jersey } }")
                == #"{"data":{"updatePlayer":null},"errors":[{"path":["updatePlayer"],"#
                + #""data":{"_version":4,"jersey":5},"errorType":"ConflictUnhandled","errorInfo":null,"#
                + #""locations":[{"line":1,"column":12,"sourceName":null}],"#
                + #""message":"Conflict resolver rejects mutation."}]}"#)
    }

    @Test(
        "the error of a refused change has exactly the selected fields of the stored record",
        arguments: Adapter.persistent)
    func storedRecord(adapter: Adapter) async throws {
        var options = ServiceOptions()
        (options.strategy, options.keepsTombstones) = (.optimistic, true)
        let served = try await ServedSchema(
            Self.sdl + " type Team @model { id: ID! title: String! captain: Player @hasOne }", on: adapter,
            options: options)
        let data = { (query: String) -> (type: String?, json: String) in
            let response = try await served.service.respond(to: ServiceRequest("mutation { \(query) }"), from: .apiKey)
            #expect(response.errors.count == 1, "\(query)")
            guard let error = response.errors.first else { return (nil, "") }
            let shown = ServiceResponse(data: error.data ?? .null)
            return (error.errorType, String(String(decoding: shown.json, as: UTF8.self).dropFirst(8).dropLast()))
        }
        let (condition, conflict) = ("ConditionalCheckFailedException", "ConflictUnhandled")
        for id in ["1", "2"] {
            _ = try await served.data(
                """
                mutation {
                  createPlayer(input: {id: "\(id)", name: "Nadia", points: [3], home: {city: "Rome", zip: "7"}}) { id }
                }
                """)
        }
        _ = try await served.data(#"mutation { deletePlayer(input: {id: "2", _version: 1}) { id } }"#)
        _ = try await served.data(#"mutation { createTeam(input: {id: "t", title: "T", teamCaptainId: "1"}) { id } }"#)
        let fields = "{ __typename id nick: name jersey home { __typename town: city } points _version _deleted }"
        let nadia = { (id: String, version: Int, deleted: String) in
            #"{"__typename":"Player","id":"\#(id)","nick":"Nadia","jersey":null,"#
                + #""home":{"__typename":"Place","town":"Rome"},"points":[3],"#
                + #""_version":\#(version),"_deleted":\#(deleted)}"#
        }
        let cases: [(query: String, type: String, data: String)] = [
            ("m: updatePlayer(input: {id: \"1\", _version: 9}) \(fields)", conflict, nadia("1", 1, "null")),
            ("m: deletePlayer(input: {id: \"1\", _version: 9}) \(fields)", conflict, nadia("1", 1, "null")),
            (
                "updatePlayer(input: {id: \"1\", _version: 1}, condition: {jersey: {gt: 1}}) \(fields)", condition,
                nadia("1", 1, "null")
            ),
            (
                "deletePlayer(input: {id: \"1\", _version: 1}, condition: {jersey: {gt: 1}}) \(fields)", condition,
                nadia("1", 1, "null")
            ),
            ("createPlayer(input: {id: \"1\"}) \(fields)", condition, nadia("1", 1, "null")),
            ("createPlayer(input: {id: \"2\"}) \(fields)", condition, nadia("2", 2, "true")),
            ("createPlayer(input: {id: \"1\"}) { id }", condition, #"{"id":"1"}"#),
            ("updatePlayer(input: {id: \"1\", _version: 9}) { id }", conflict, #"{"id":"1"}"#),
            // There is no stored record in these cases.
            ("updatePlayer(input: {id: \"3\"}) \(fields)", condition, "null"),
            ("createPlayer(input: {id: \"3\"}, condition: {name: {eq: \"x\"}}) \(fields)", condition, "null"),
            // An error has no related records.
            ("updateTeam(input: {id: \"t\", _version: 9}) { title captain { id } }", conflict, #"{"title":"T"}"#),
            ("updateTeam(input: {id: \"t\", _version: 9}) { captain { id } }", conflict, "null"),
        ]
        for (query, type, expected) in cases {
            let shown = try await data(query)
            #expect(shown.type == type && shown.json == expected, "\(query): \(shown)")
        }
    }

    @Test("a stored record for which the response has no room is left out of the error")
    func roomForStoredRecord() async throws {
        var options = ServiceOptions()
        options.maximumResponseBytes = 8_192
        let served = try await ServedSchema(Self.sdl, options: options)
        let name = String(repeating: "n", count: 3_000)
        _ = try await served.data("mutation { createPlayer(input: {id: \"1\", name: \"\(name)\"}) { id } }")
        let create = { (alias: String) in "\(alias): createPlayer(input: {id: \"1\"}) { name }" }
        let response = try await served.service.respond(
            to: ServiceRequest("mutation { \(create("a")) \(create("b")) }"), from: .apiKey)
        #expect(response.errors.map(\.errorType) == Array(repeating: "ConditionalCheckFailedException", count: 2))
        #expect(response.errors.map { $0.data?["name"]?.text == name } == [true, false])
    }

    @Test("the times of creation and of the last change of a new record are the same", arguments: Adapter.persistent)
    func timesOfCreation(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        served.clock.step = 1
        let created = try await served.data(
            #"mutation { createPlayer(input: {id: "1"}) { createdAt updatedAt } }"#)["createPlayer"]
        #expect(created?["createdAt"]?.text != nil && created?["createdAt"] == created?["updatedAt"])
    }

    @Test(
        "a deletion with an old version, or with none, is refused by automerge, optimistic and a handler that rejects",
        arguments: [.autoMerge, .optimistic, .custom({ _ in .reject })] as [ConflictStrategy])
    func oldDeletion(strategy: ConflictStrategy) async throws {
        var options = ServiceOptions()
        options.strategy = strategy
        let served = try await ServedSchema(Self.sdl, options: options)
        try await Self.create(served)
        for version in ["", ", _version: 3"] {
            let response = try await served.ask("mutation { deletePlayer(input: {id: \"1\"\(version)}) { id } }")
            #expect(response.contains("ConflictUnhandled"), "\(response)")
        }
        #expect(
            try await served.ask(
                #"mutation { deletePlayer(input: {id: "1", _version: 4}) { name _deleted _version } }"#)
                == #"{"data":{"deletePlayer":{"name":"Nadia","_deleted":true,"_version":5}}}"#)
    }

    @Test("an update of a deleted record returns the tombstone, and only a create brings the record back")
    func tombstone() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served, versions: 1)
        _ = try await served.data(#"mutation { deletePlayer(input: {id: "1", _version: 1}) { id } }"#)
        for version in [1, 2, 9] {
            #expect(
                try await served.ask(
                    """
                    mutation { updatePlayer(input: {id: "1", jersey: 7, _version: \(version)})
                      { jersey _version _deleted } }
                    """
                )
                    == #"{"data":{"updatePlayer":{"jersey":5,"_version":2,"_deleted":true}}}"#)
        }
        #expect(
            try await served.ask(
                #"mutation { createPlayer(input: {id: "1", name: "Else"}) { name jersey _version _deleted } }"#)
                == #"{"data":{"createPlayer":{"name":"Else","jersey":null,"_version":3,"_deleted":null}}}"#)
    }

    @Test("a condition is checked on the stored record; a create of an existing or update of a missing record fails")
    func conditions() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served)
        let refused = try await served.ask(
            """
            mutation { updatePlayer(input: {id: "1", jersey: 6, _version: 4}, condition: {jersey: {gt: 5}}) { jersey } }
            """)
        #expect(refused.contains("ConditionalCheckFailedException"))
        let taken = try await served.ask(
            """
            mutation { updatePlayer(input: {id: "1", jersey: 6, _version: 4}, condition: {or: [{jersey: {gt: 5}},
              {name: {beginsWith: "Na"}}]}) { jersey _version } }
            """)
        #expect(taken == #"{"data":{"updatePlayer":{"jersey":6,"_version":5}}}"#)
        #expect(
            try await served.ask(#"mutation { createPlayer(input: {id: "1"}) { id } }"#).contains("ConditionalCheck"))
        #expect(
            try await served.ask(#"mutation { updatePlayer(input: {id: "2"}) { id } }"#).contains("ConditionalCheck"))
    }

    @Test("the condition of a change with an old version is checked on the stored record, after the strategy")
    func conditionsOfOldVersions() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served)
        let update = { (condition: String) in
            """
            mutation { updatePlayer(input: {id: "1", interests: ["art"], _version: 2}, condition: {\(condition)})
              { interests _version } }
            """
        }
        // The merged record has interests, but the stored record has none.
        #expect(
            try await served.ask(update("interests: {attributeExists: true}"))
                .contains("ConditionalCheckFailedException"))
        #expect(
            try await served.ask(update("interests: {attributeExists: false}"))
                == #"{"data":{"updatePlayer":{"interests":["art"],"_version":5}}}"#)
        var options = ServiceOptions()
        options.strategy = .optimistic
        let optimistic = try await ServedSchema(Self.sdl, options: options)
        try await Self.create(optimistic)
        // The strategy refuses the change, whether the condition is true or false.
        for condition in ["jersey: {eq: 5}", "jersey: {eq: 6}"] {
            let delete = "mutation { deletePlayer(input: {id: \"1\", _version: 2}, condition: {\(condition)}) { id } }"
            for (service, text) in [(optimistic, update(condition)), (optimistic, delete), (served, delete)] {
                let response = try await service.ask(text)
                #expect(response.contains("ConflictUnhandled"), "\(response)")
            }
        }
    }

    @Test("a mutation with a known id is not executed again while the id is kept, and returns the present record")
    func repeated() async throws {
        let served = try await ServedSchema(Self.sdl)
        let text = #"mutation { createPlayer(input: {id: "1", jersey: 1}) { jersey _version } }"#
        let first = try await served.ask(text, mutations: ["a"])
        #expect(first == #"{"data":{"createPlayer":{"jersey":1,"_version":1}}}"#)
        #expect(try await served.ask(text, mutations: ["a"]) == first)
        #expect(try await served.ask(text, mutations: ["b"]).contains("ConditionalCheckFailedException"))
        served.clock.now += ServiceOptions().tombstoneAge + 1
        #expect(try await served.ask(text, mutations: ["a"]).contains("ConditionalCheckFailedException"))
    }
}
