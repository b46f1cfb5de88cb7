import Foundation
import ServerSupport
import Testing
import Tidelog

@testable import TidelogServer

/// Each expectation is a row of the table of mutations in the reference about Amplify's second generation.
@Suite("Mutations of an API without versions, over HTTP", .databaseToo, .timeLimit(.minutes(5)))
struct MutationsWithoutVersionsTests {
    private static let refused = "DynamoDB:ConditionalCheckFailedException"

    @Test("a creation has an id and the times of the server, in milliseconds, and its condition is about a new record")
    func creation() async throws {
        let clock = HandSetClock()
        try await TodoServer.run(clock: clock) { server in
            let time = #""2023-11-14T22:13:20.000Z""#
            #expect(
                try server.ask(
                    #"mutation { createTodo(input: {id: "1", content: "a"}) { id content done createdAt updatedAt } }"#)
                    == #"{"createTodo":{"id":"1","content":"a","done":null,"createdAt":\#(time),"updatedAt":\#(time)}}"#
            )
            let id = try server.text("id", #"mutation { createTodo(input: {content: "b"}) { id } }"#)
            #expect(UUID(uuidString: id) != nil)
            let create = { (condition: String) in
                try server.ask("mutation { createTodo(input: {id: 2}, condition: \(condition)) { id } }")
            }
            #expect(try create(#"{content: {eq: "a"}}"#) == #"{"createTodo":null} \#(Self.refused)"#)
            #expect(try create("{content: {attributeExists: true}}") == #"{"createTodo":null} \#(Self.refused)"#)
            #expect(try create("{content: {attributeExists: false}}") == #"{"createTodo":{"id":"2"}}"#)
        }
    }

    @Test("a creation of a stored record is refused as DynamoDB words it, without the record, which stays as it is")
    func creationOfStored() async throws {
        try await TodoServer.run { server in
            _ = try server.ask(#"mutation { createTodo(input: {id: "1", content: "a"}) { id } }"#)
            let (data, errors) = try server.response(
                #"mutation { createTodo(input: {id: "1", content: "b"}) { id content updatedAt } }"#)
            #expect(data == #"{"createTodo":null}"#)
            let text = try #require(errors)
            #expect(text.contains(#""data":null,"errorType":"\#(Self.refused)","errorInfo":null"#))
            let message = /"message":"The conditional request failed \((.*), Request ID: [0-9A-V]{52}\)"/
            #expect(text.firstMatch(of: message).map { $0.1 } == "Service: DynamoDb, Status Code: 400")
            #expect(!text.contains("content"))
            #expect(try server.ask(#"{ getTodo(id: "1") { content } }"#) == #"{"getTodo":{"content":"a"}}"#)
        }
    }

    @Test("an update sets values, removes what is null, leaves the rest, and always sets the time of the last change")
    func update() async throws {
        let clock = HandSetClock()
        try await TodoServer.run(clock: clock) { server in
            let selection = "{ content rank tags createdAt updatedAt }"
            _ = try server.ask(
                #"mutation { createTodo(input: {id: 1, content: "a", rank: 1, tags: ["x"]}) { id } }"#)
            let cases = [
                (#"tags: ["y"]"#, #""content":"a","rank":1,"tags":["y"]"#),
                ("content: null, rank: 2", #""content":null,"rank":2,"tags":["y"]"#),
                (#"content: "b", tags: null"#, #""content":"b","rank":2,"tags":null"#),
                ("", #""content":"b","rank":2,"tags":null"#), ("", #""content":"b","rank":2,"tags":null"#),
            ]
            for (number, (input, expected)) in cases.enumerated() {
                clock.now += 1
                let times =
                    #""createdAt":"2023-11-14T22:13:20.000Z","updatedAt":"2023-11-14T22:13:20.00\#(number + 1)Z""#
                #expect(
                    try server.ask("mutation { updateTodo(input: {id: 1, \(input)}) \(selection) }")
                        == #"{"updateTodo":{\#(expected),\#(times)}}"#)
            }
            // The clock of another host may be slow.
            clock.now -= 5
            #expect(
                try server.text("updatedAt", "mutation { updateTodo(input: {id: 1}) { updatedAt } }")
                    == "2023-11-14T22:13:20.000Z")
        }
    }

    @Test("a change of a missing record is refused, and a deletion of one succeeds with null and without an error")
    func missing() async throws {
        try await TodoServer.run { (server) throws in
            #expect(
                try server.ask("mutation { updateTodo(input: {id: 1, rank: 1}) { id } }")
                    == #"{"updateTodo":null} \#(Self.refused)"#)
            #expect(try server.ask("mutation { deleteTodo(input: {id: 1}) { id } }") == #"{"deleteTodo":null}"#)
            #expect(
                try server.ask("mutation { deleteTodo(input: {id: 1}, condition: {rank: {eq: 1}}) { id } }")
                    == #"{"deleteTodo":null}"#)
            #expect(try server.ask("{ getTodo(id: 1) { id } }") == #"{"getTodo":null}"#)
        }
    }

    @Test("a condition compares the time of the last change and every other value; one that is false shows nothing")
    func conditions() async throws {
        let clock = HandSetClock()
        try await TodoServer.run(clock: clock) { server in
            let created = try server.text(
                "updatedAt", #"mutation { createTodo(input: {id: 1, content: "a", rank: 0}) { updatedAt } }"#)
            var (held, failed) = (0, 0)
            for (condition, holds) in [
                (#"{updatedAt: {eq: "\#(created)"}}"#, true), (#"{updatedAt: {eq: "\#(created)"}}"#, false),
                (#"{createdAt: {eq: "\#(created)"}}"#, true), (#"{createdAt: {ne: "\#(created)"}}"#, false),
                (#"{updatedAt: {gt: "\#(created)"}}"#, true), (#"{updatedAt: {lt: "\#(created)"}}"#, false),
                (#"{and: [{content: {eq: "a"}}, {rank: {ge: 1}}]}"#, true),
                (#"{and: [{content: {eq: "a"}}, {rank: {ge: 99}}]}"#, false),
                (#"{or: [{content: {eq: "b"}}, {rank: {ge: 1}}]}"#, true), (#"{not: {content: {eq: "a"}}}"#, false),
                ("{done: {attributeExists: false}}", true), ("{done: {attributeExists: true}}", false),
                ("{tags: {contains: \"x\"}}", false), (#"{content: {beginsWith: "a"}}"#, true),
            ] {
                clock.now += 1
                let answer = try server.ask(
                    "mutation { updateTodo(input: {id: 1, rank: \(held + 1)}, condition: \(condition)) { rank } }")
                if holds { held += 1 } else { failed += 1 }
                let expected =
                    holds ? #"{"updateTodo":{"rank":\#(held)}}"# : #"{"updateTodo":null} \#(Self.refused)"#
                #expect(answer == expected, "\(condition)")
            }
            #expect(held == 7 && failed == 7)
            #expect(
                try server.ask(#"mutation { deleteTodo(input: {id: 1}, condition: {content: {eq: "b"}}) { id } }"#)
                    == #"{"deleteTodo":null} \#(Self.refused)"#)
            #expect(
                try server.ask(
                    #"mutation { deleteTodo(input: {id: 1}, condition: {content: {eq: "a"}}) { id content rank } }"#)
                    == #"{"deleteTodo":{"id":"1","content":"a","rank":7}}"#)
        }
    }

    @Test("of two changes from the same state, the one whose condition comes second is refused, and no value is merged")
    func compareAndSet() async throws {
        try await TodoServer.run { server in
            let read = try server.text(
                "updatedAt", #"mutation { createTodo(input: {id: 1, tags: ["a"]}) { updatedAt } }"#)
            let update = { (tag: String) in
                let arguments = #"input: {id: 1, tags: ["\#(tag)"]}, condition: {updatedAt: {eq: "\#(read)"}}"#
                return try server.ask("mutation { updateTodo(\(arguments)) { tags } }")
            }
            #expect(try update("b") == #"{"updateTodo":{"tags":["b"]}}"#)
            #expect(try update("c") == #"{"updateTodo":null} \#(Self.refused)"#)
            #expect(
                try server.ask(#"mutation { updateTodo(input: {id: 1, tags: ["d"]}) { tags } }"#)
                    == #"{"updateTodo":{"tags":["d"]}}"#, "a change without a condition overwrites")
        }
    }

    @Test("a null in an update needs the permission to delete the field, and every other value only to update it")
    func nulls() async throws {
        try await TodoServer.run { server in
            _ = try server.ask(#"mutation { createNotice(input: {id: 1, text: "a", pinned: true}) { id } }"#)
            let (data, errors) = try server.response("mutation { updateNotice(input: {id: 1, text: null}) { text } }")
            #expect(data == #"{"updateNotice":null}"#)
            #expect(errors?.contains(#""errorType":"Unauthorized""#) == true)
            #expect(errors?.contains(#""message":"Unauthorized on [text]""#) == true)
            #expect(
                try server.ask("mutation { updateNotice(input: {id: 1, pinned: null}) { text pinned } }")
                    == #"{"updateNotice":{"text":"a","pinned":null}}"#, "the rules of the field itself allow it")
            #expect(
                try server.ask(#"mutation { updateNotice(input: {id: 1, text: ""}) { text } }"#)
                    == #"{"updateNotice":{"text":""}}"#)
            #expect(
                try server.ask("mutation { createNotice(input: {id: 2, text: null}) { text } }")
                    == #"{"createNotice":{"text":null}}"#)
        }
    }

    @Test("clients may set the times that the schema declares, and no others")
    func declaredTimes() async throws {
        try await TodoServer.run(clock: HandSetClock()) { server in
            let time = "2001-02-03T04:05:06.789Z"
            #expect(
                try server.ask(
                    #"mutation { createDated(input: {id: 1, createdAt: "\#(time)"}) { createdAt updatedAt } }"#)
                    == #"{"createDated":{"createdAt":"\#(time)","updatedAt":"2023-11-14T22:13:20.000Z"}}"#)
            #expect(
                try server.ask(
                    #"mutation { updateDated(input: {id: 1, updatedAt: "\#(time)"}) { createdAt updatedAt } }"#)
                    == #"{"updateDated":{"createdAt":"\#(time)","updatedAt":"\#(time)"}}"#)
            for name in ["createdAt", "updatedAt", "_version", "owner"] {
                let (data, errors) = try server.response(
                    #"mutation { createTodo(input: {id: 1, \#(name): "\#(time)"}) { id } }"#)
                #expect(data == "null", "\(name)")
                #expect(errors?.contains(name) == true)
            }
        }
    }

    @Test("the API has no versions, no sync queries and no deleted records, and its errors name what is undefined")
    func undefined() async throws {
        try await TodoServer.run { server in
            for (document, field, type) in [
                ("{ syncTodos { items { id } } }", "syncTodos", "Query"),
                ("{ listTodos { startedAt } }", "startedAt", "ModelTodoConnection"),
                ("{ getTodo(id: 1) { _version } }", "_version", "Todo"),
                ("mutation { deleteTodo(input: {id: 1}) { _deleted } }", "_deleted", "Todo"),
            ] {
                let (data, errors) = try server.response(document)
                #expect(data == "null")
                #expect(errors?.contains("FieldUndefined: Field '\(field)' in type '\(type)' is undefined") == true)
            }
            #expect(try server.response("{ listTodos(filter: {_deleted: {eq: true}}) { nextToken } }").data == "null")
        }
    }

    @Test("a change that is sent twice is made twice, because the API knows no ids of changes")
    func ids() async throws {
        try await TodoServer.run { (server) throws in
            var named = server
            named.credentials.append(("x-tidelog-mutation-id", "m1"))
            #expect(
                try named.ask("mutation { createTodo(input: {id: 1}) { id } }") == #"{"createTodo":{"id":"1"}}"#)
            #expect(
                try named.ask("mutation { createTodo(input: {id: 1}) { id } }")
                    == #"{"createTodo":null} \#(Self.refused)"#)
        }
    }
}
