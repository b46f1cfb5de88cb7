import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution
import TidelogJSON

@testable import TidelogServer

@Suite("Ids of mutations")
struct MutationIDTests {
    private static let sdl = """
        type Player @model @auth(rules: [{allow: public}, {allow: private}]) { id: ID! name: String }
        type Team @model { id: ID! name: String }
        type Seat @model { row: Int! @primaryKey(sortKeyFields: ["day", "price"]) day: AWSDate! price: Float! name: String }
        """

    private static func caller(_ subject: String) -> Caller {
        .token(TokenClaims([], subject: subject, issuer: "https://issuer.example", expiresAt: 9), of: .userPools)
    }

    private static func ask(
        _ served: ServedSchema, _ text: String, _ header: String, from caller: Caller = .apiKey
    ) async throws -> String {
        var request = ServiceRequest(text)
        try request.setMutations(header: header)
        return String(decoding: try await served.service.respond(to: request, from: caller).json, as: UTF8.self)
    }

    @Test("a repeated mutation returns the present record and changes nothing", arguments: Adapter.persistent)
    func repeated(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let text = #"mutation { createPlayer(input: {id: "1", name: "a"}) { name _version } }"#
        let first = try await Self.ask(served, text, "m")
        #expect(first == #"{"data":{"createPlayer":{"name":"a","_version":1}}}"#)
        _ = try await served.data(#"mutation { updatePlayer(input: {id: "1", name: "b", _version: 1}) { id } }"#)
        let head = try served.store.head
        #expect(try await Self.ask(served, text, "m") == #"{"data":{"createPlayer":{"name":"b","_version":2}}}"#)
        #expect(try served.store.head == head)
    }

    @Test("a repeated create returns the same record if the server made the key", arguments: Adapter.persistent)
    func madeKey(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let text = #"mutation { createPlayer(input: {name: "a"}) { id name _version } }"#
        let first = try await Self.ask(served, text, "m")
        #expect(first.contains(#""name":"a","_version":1"#))
        #expect(try await Self.ask(served, text, "m") == first)
        #expect(try await Self.ask(served, text, "n") != first)
    }

    @Test(
        "a repeated create finds its record by a key with an integer, a date and a float",
        arguments: Adapter.persistent)
    func keys(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let text = """
            mutation { createSeat(input: {row: 3, day: "2001-02-03", price: 0.1, name: "a"}) { row day price name } }
            """
        let first = try await Self.ask(served, text, "m")
        #expect(first == #"{"data":{"createSeat":{"row":3,"day":"2001-02-03","price":0.1,"name":"a"}}}"#)
        #expect(try await Self.ask(served, text, "m") == first)
    }

    @Test("the subject of a mutation has the same text as in the stores of earlier servers")
    func subjects() throws {
        #expect(
            MutationSubject.text(.create, "Player", key: ["1"]) == "K1ixC0hFUoZPBPVWVj61Z_cyNrQj3mbcjvozULEhP1s")
        #expect(
            MutationSubject.text(.update, "Seat", key: [3, .date(try Temporal.Date("2001-02-03")), 0.1])
                == "nbCbWIZ5p9R9784sB2qacen-N9I7Fd73zTwPE9w6a2M")
    }

    @Test("a repeated mutation finds the answer that an earlier server stored", arguments: Adapter.persistent)
    func stored(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let text = """
            mutation { createSeat(input: {row: 3, day: "2001-02-03", price: 0.1, name: "a"}) { name _version } }
            """
        let first = try await Self.ask(served, text, "m")
        let stored = try #require(try await served.store.fetch(Record.all(of: "TidelogServerAnswer")).first)
        #expect(stored["key"] == .list(["3", "2001-02-03", "0.1"]))
        #expect(stored["model"] == "Seat")
        // This is the same answer with every field as earlier servers wrote it.
        let earlier = Record(
            model: "TidelogServerAnswer",
            values: [
                "id": try #require(stored["id"]), "model": "Seat",
                "subject": "OsTH7RKU3jcrB12DU_FXzlcdwd4IlR08IFImkZGlIj8",
                "key": .list(["3", "2001-02-03", "0.1"]), "at": .int(served.clock.now),
            ])
        var withoutContent = stored
        withoutContent["content"] = nil
        #expect(withoutContent == earlier && stored["content"] != nil)
        try await served.store.save(earlier)
        #expect(try await Self.ask(served, text, "m") == first)
    }

    @Test("each mutation of a document has its own id, and a header with too few or too many ids is refused")
    func several() async throws {
        let served = try await ServedSchema(Self.sdl)
        let text = """
            mutation { a: createPlayer(input: {id: "1"}) { _version } __typename
              b: updatePlayer(input: {id: "1", name: "b", _version: 1}) { name _version } }
            """
        let first = try await Self.ask(served, text, "m1, m2")
        #expect(first.contains(#""a":{"_version":1}"#) && first.contains(#""b":{"name":"b","_version":2}"#))
        let again = try await Self.ask(served, text, "m1,m2")
        #expect(again.contains(#""a":{"_version":2}"#) && again.contains(#""b":{"name":"b","_version":2}"#))
        for header in ["m3", "m3,m4,m5"] {
            let response = try await Self.ask(served, text, header)
            #expect(response.contains(#"{"data":null,"errors":[{"path":null"#) && response.contains("BadRequest"))
        }
        #expect(try await served.versions.record("Player", "1")?.version == 2)
    }

    @Test("the ids of each caller are separate, and the stored answers do not reveal a caller's identity")
    func identities() async throws {
        let served = try await ServedSchema(Self.sdl)
        let text = #"mutation { createPlayer(input: {name: "a"}) { id } }"#
        let callers = [Caller.apiKey, Self.caller("canary-1"), Self.caller("canary-2")]
        var responses: [String] = []
        for caller in callers + callers { responses.append(try await Self.ask(served, text, "m", from: caller)) }
        #expect(responses[0..<3] == responses[3..<6])
        #expect(Set(responses).count == 3)
        let answers = try await served.store.fetch(Record.all(of: "TidelogServerAnswer"))
        #expect(answers.count == 3)
        #expect(!"\(answers)".contains("canary") && !"\(answers)".contains("issuer.example"))
    }

    @Test("a mutation that reuses the id of a different mutation is refused and changes nothing")
    func taken() async throws {
        let served = try await ServedSchema(Self.sdl)
        _ = try await Self.ask(served, #"mutation { createPlayer(input: {id: "1", name: "a"}) { id } }"#, "m")
        let head = try served.store.head
        for text in [
            #"mutation { createPlayer(input: {id: "2"}) { id } }"#, #"mutation { createPlayer(input: {}) { id } }"#,
            #"mutation { createTeam(input: {id: "1"}) { id } }"#,
            #"mutation { updatePlayer(input: {id: "1", name: "b", _version: 1}) { id } }"#,
            #"mutation { deletePlayer(input: {id: "1", _version: 1}) { id } }"#,
        ] {
            let response = try await Self.ask(served, text, "m")
            #expect(response.contains(#""errorType":"MutationIDTaken""#), "\(text): \(response)")
        }
        #expect(try served.store.head == head)
    }

    @Test("a mutation that reuses an id with other values or another condition is refused and changes nothing")
    func otherContent() async throws {
        let served = try await ServedSchema(Self.sdl)
        _ = try await served.data(#"mutation { createPlayer(input: {id: "1", name: "a"}) { id } }"#)
        let update = #"mutation { updatePlayer(input: {id: "1", name: "b", _version: 1}) { name _version } }"#
        let first = try await Self.ask(served, update, "m")
        #expect(first == #"{"data":{"updatePlayer":{"name":"b","_version":2}}}"#)
        let head = try served.store.head
        // The order of the fields, the base version, and variables do not belong to the content.
        let same = """
            mutation { updatePlayer(input: {_version: 2, name: "b", id: "1"}, condition: null) { name _version } }
            """
        #expect(try await Self.ask(served, same, "m") == first)
        for text in [
            #"mutation { updatePlayer(input: {id: "1", name: "c", _version: 2}) { id } }"#,
            #"mutation { updatePlayer(input: {id: "1", name: null, _version: 2}) { id } }"#,
            #"mutation { updatePlayer(input: {id: "1", _version: 2}) { id } }"#,
            #"mutation { updatePlayer(input: {id: "1", name: "b"}, condition: {name: {eq: "b"}}) { id } }"#,
        ] {
            let response = try await Self.ask(served, text, "m")
            #expect(response.contains(#""errorType":"MutationIDTaken""#), "\(text): \(response)")
        }
        #expect(try served.store.head == head)
        #expect(try await Self.ask(served, update, "m") == first)
    }

    @Test("the content of a mutation has the same text in every version of the server")
    func contents() {
        let arguments: InputObject = [
            "input": [
                "name": .string("a"), "id": .string("1"), "rating": .double(0.5), "tags": .list([.string("x"), .null]),
                "_version": .int(7),
            ],
            "condition": ["name": ["ne": .string("b")]],
        ]
        #expect(MutationSubject.content(arguments) == "Q7HU3mAa1rsl79xjTV78HJOhf3HjNZg4_jdKwYebL5E")
    }

    @Test("the id of a refused mutation can be used again")
    func refused() async throws {
        let served = try await ServedSchema(Self.sdl)
        let update = #"mutation { updatePlayer(input: {id: "1", name: "b", _version: 1}) { name } }"#
        #expect(try await Self.ask(served, update, "m").contains("ConditionalCheckFailedException"))
        _ = try await served.data(#"mutation { createPlayer(input: {id: "1", name: "a"}) { id } }"#)
        #expect(try await Self.ask(served, update, "m") == #"{"data":{"updatePlayer":{"name":"b"}}}"#)
    }

    @Test("a query ignores ids of mutations, and a header with invalid ids is refused")
    func header() async throws {
        let served = try await ServedSchema(Self.sdl)
        #expect(
            try await Self.ask(served, #"{ getPlayer(id: "1") { id } }"#, "a,b") == #"{"data":{"getPlayer":null}}"#)
        var request = ServiceRequest("{ __typename }")
        #expect(throws: ServiceRequest.Malformed.self) { try request.setMutations(header: "a,,b") }
        #expect(throws: ServiceRequest.Malformed.self) {
            try request.setMutations(header: String(repeating: "x", count: 65))
        }
        try request.setMutations(header: nil)
        #expect(request.mutations.isEmpty)
    }
}
