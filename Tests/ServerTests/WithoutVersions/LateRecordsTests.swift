import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogSynchronization

@testable import TidelogServer

/// The double with which clients of an API without versions are tested.
@Suite("Late records and writes past the API")
struct LateRecordsTests {
    private static let sdl = "type Todo @model { content: String rank: Int @index }"

    @Test("reads miss the last changes, mutations decide about the latest records, and later reads see everything")
    func lag() async throws {
        let served = try await ServedSchema(Self.sdl, kind: .timestamps)
        let late = try await LateRecords(served.versions, of: served.service.api)
        let service = try await Service(served.service.api, late, environment: .system)
        let ask = { (document: String) in
            let response = try await service.respond(to: ServiceRequest(document), from: .apiKey)
            return String(decoding: response.json, as: UTF8.self)
        }
        let reads = [
            #"{ getTodo(id: "1") { rank } }"#, "{ listTodos { items { rank } } }",
            "{ listTodoByRank(rank: 1) { items { rank } } }",
        ]
        try await late.setLag(1)
        _ = try await ask(#"mutation { createTodo(input: {id: "1", rank: 1}) { id } }"#)
        for read in reads { #expect(try await !ask(read).contains(#""rank":1"#), "\(read)") }
        #expect(
            try await ask(#"mutation { createTodo(input: {id: "1", rank: 1}) { id } }"#)
                .contains("ConditionalCheckFailed"))
        _ = try await ask(#"mutation { createTodo(input: {id: "2"}) { id } }"#)
        for read in reads { #expect(try await ask(read).contains(#""rank":1"#), "\(read)") }
        _ = try await ask(#"mutation { deleteTodo(input: {id: "1"}) { id } }"#)
        for read in reads { #expect(try await ask(read).contains(#""rank":1"#), "\(read)") }
        try await late.setLag(0)
        for read in reads { #expect(try await !ask(read).contains(#""rank":1"#), "\(read)") }
        #expect(try await ask("{ listTodos { items { id } } }") == #"{"data":{"listTodos":{"items":[{"id":"2"}]}}}"#)
    }

    @Test("a write past the API changes no time, and no subscriber hears of it")
    func past() async throws {
        let served = try await ServedSchema(Self.sdl, kind: .timestamps)
        let late = try await LateRecords(served.versions, of: served.service.api)
        let service = try await Service(served.service.api, late, environment: .system)
        let subscriptions = Subscriptions(service)
        let heard = Mutex<[String]>([])
        for operation in ["onCreateTodo", "onUpdateTodo", "onDeleteTodo"] {
            let request = ServiceRequest("subscription { \(operation) { id content } }")
            _ = subscriptions.add(try subscriptions.prepare(request, from: .apiKey)) { _, bytes in
                heard.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        let changes = try await late.changes()
        let following = Task { try await subscriptions.run(changes) }
        let ask = { (document: String) in
            let response = try await service.respond(to: ServiceRequest(document), from: .apiKey)
            return String(decoding: response.json, as: UTF8.self)
        }
        _ = try await ask(#"mutation { createTodo(input: {id: "1", content: "a"}) { id content } }"#)
        let time = try await late.record("Todo", "1")?["updatedAt"]
        try await late.writePastAPI("Todo", "1") { stored in
            var record = stored
            record?["content"] = "past"
            return record
        }
        try await late.writePastAPI("Todo", "2") { _ in Record(model: "Todo", values: ["id": "2", "content": "bare"]) }
        #expect(try await late.record("Todo", "1")?["updatedAt"] == time)
        #expect(try await ask(#"{ getTodo(id: "1") { content } }"#) == #"{"data":{"getTodo":{"content":"past"}}}"#)
        let listed = try await ask("{ listTodos { items { id updatedAt } } }")
        #expect(listed.contains("null]"), "a record without times is an error in lists: \(listed)")
        try await late.writePastAPI("Todo", "2") { _ in nil }
        #expect(try await ask(#"{ getTodo(id: "2") { id } }"#) == #"{"data":{"getTodo":null}}"#)
        _ = try await ask(#"mutation { deleteTodo(input: {id: "1"}) { id content } }"#)
        try await eventually { heard.withLock { $0.count } == 2 }
        #expect(
            heard.withLock { $0 } == [
                #"{"data":{"onCreateTodo":{"id":"1","content":"a"}}}"#,
                #"{"data":{"onDeleteTodo":{"id":"1","content":"past"}}}"#,
            ])
        following.cancel()
        _ = await following.result
    }
}
