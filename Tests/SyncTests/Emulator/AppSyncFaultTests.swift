import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogJSON
import TidelogSync

@Suite("Faults of AppSync", .enabled(if: AppSync.isInstalled, AppSync.isMissing), .timeLimit(.minutes(5)))
struct AppSyncFaultTests {
    /// A device that has synced one record, and has not sent a new record, a change and a deletion.
    private static func changedDevice(_ api: AppSync) async throws -> Device {
        let device = try await api.device()
        try await device.save("Note", #"{"id":"1","title":"a","tags":["x"]}"#)
        try await device.save("Note", #"{"id":"2","title":"a"}"#)
        try await device.sync()
        try await device.change("Note", "1", ["tags": .list(["x", "y"])])
        try await device.store.delete("Note", id: "2")
        try await device.save("Note", #"{"id":"3","title":"c","tags":["z"]}"#)
        return device
    }

    @Test(
        "each change is applied once if the first attempts fail",
        arguments: [
            #""drop":"before""#, #""drop":"after""#, #""status":500"#, #""status":503,"body":"<html>""#,
            #""status":502,"commit":true"#, #""status":429,"headers":{"Retry-After":"0"}"#, #""json":{}"#,
            #""json":{"data":null}"#, #""json":{"data":null},"commit":true"#, #""truncate":true"#,
            #""status":403,"body":"<html>A firewall refuses this.</html>""#,
            #""at":"field","fieldError":{"errorType":"InternalFailure"}"#,
            #""at":"field","fieldError":{"errorType":"InternalFailure"},"commit":true"#,
        ])
    func once(_ fault: String) async throws {
        try await AppSync.serve { api in
            let device = try await Self.changedDevice(api)
            try await api.rules(#"{"on":"(create|update|delete)Note","times":3,\#(fault)}"#)
            let report = try await device.sync()
            #expect(report.sent == 3)
            try await api.expectEqual(device)
            // Auto Merge would append the list of a repeated change to the list of the first one.
            #expect(try await api.record("Note", "1")?["tags"] == .array([.string("x"), .string("y")]))
            #expect(try await api.record("Note", "1")?["_version"] == .int(2))
            #expect(try await api.record("Note", "3")?["_version"] == .int(1))
        }
    }

    @Test("a change whose answer was lost is not sent again, because the device asks for the record first")
    func lost() async throws {
        try await AppSync.serve { api in
            let device = try await Self.changedDevice(api)
            try await api.rules(#"{"on":"updateNote","times":1,"drop":"after"}"#)
            try await device.sync()
            #expect(try await api.requests("updateNote").count == 1)
            // The three changes were in one request.
            #expect(try await api.requests("getNote").count == 3)
            try await api.expectEqual(device)
        }
    }

    @Test(
        "a query that fails is sent again",
        arguments: [
            #""drop":"before""#, #""drop":"after""#, #""status":500"#, #""status":429,"headers":{"Retry-After":"0"}"#,
            #""json":{"data":null}"#, #""truncate":true"#, #""status":403,"body":"<html>""#,
            #""at":"field","fieldError":{"errorType":"InternalFailure"}"#,
        ])
    func queries(_ fault: String) async throws {
        try await AppSync.serve { api in
            let first = try await Self.changedDevice(api)
            try await first.sync()
            try await api.rules(#"{"on":"syncNotes","times":2,\#(fault)}"#)
            let second = try await api.device()
            try await second.sync()
            try await api.expectEqual(first, second)
        }
    }

    @Test("a change that the caller may not make is set aside, all other changes are sent, and a retry sends it later")
    func denied() async throws {
        try await AppSync.serve { api in
            let device = try await Self.changedDevice(api)
            try await api.set(#"{"deny":["updateNote"]}"#)
            #expect(try await device.sync(setAside: 1).sent == 2)
            let entry = try #require(try await SyncOutbox(device.store).entries().first)
            #expect(entry.errorType == "Unauthorized")
            try await api.set(#"{"deny":[]}"#)
            #expect(try await SyncOutbox(device.store).retry(entry.sequence))
            try await device.sync()
            try await api.expectEqual(device)
        }
    }

    @Test("changes in one request are answered alone: one is made, one is refused, and one is in conflict")
    func partialErrors() async throws {
        try await AppSync.serve { api in
            let device = try await Self.changedDevice(api)
            try await api.set(#"{"deny":["deleteNote"]}"#)
            try await api.mutate("updateNote", #"{"id":"1","title":"theirs","_version":1}"#, selecting: "id")
            let report = try await device.sync(setAside: 1)
            #expect(report.sent == 2)
            let requests = try await api.requests("createNote")
            #expect(requests.first?["fields"]?.elements.count ?? 0 > 1, "the request had several changes")
            #expect(try await api.record("Note", "3")?["_version"] == .int(1))
            #expect(try await api.record("Note", "2")?["_version"] == .int(1))
        }
    }

    @Test("a token that expires is replaced, and every change arrives")
    func tokens() async throws {
        try await AppSync.serve("note", #"{"tokens":["old"]}"#) { api in
            let device = try await api.device()
            let token = Shared("old")
            let engine = try device.engine(startup: .automatic, as: .token { token.value })
            try await eventually { engine.status.state == .ready }
            try await api.set(#"{"tokens":["new"]}"#)
            try await api.control(#"{"closeSockets":true}"#)
            token.set("new")
            try await device.save("Note", #"{"id":"1","title":"a"}"#)
            try await eventually { try await api.record("Note", "1") != nil }
            try await api.mutate("createNote", #"{"id":"2","title":"b"}"#, selecting: Self.everything)
            try await eventually { try await api.differences(device) == [] }
            await engine.stop()
        }
    }

    /// A selection of every field of a note.
    static let everything = """
        id title rating body tags mood j inner { a b list deep { x y } } inners { a b list deep { x y } } done price at \
        createdAt updatedAt _version _deleted _lastChangedAt
        """

    @Test("an engine whose WebSockets are closed subscribes again, and receives what it missed")
    func closedSockets() async throws {
        try await AppSync.serve { api in
            let device = try await api.device()
            let engine = try device.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            for number in 0..<3 {
                try await api.set(#"{"pushes":false}"#)
                try await api.mutate("createNote", #"{"id":"\#(number)","title":"t"}"#, selecting: Self.everything)
                try await api.set(#"{"pushes":true}"#)
                try await api.control(#"{"closeSockets":true}"#)
                try await eventually { try await api.differences(device) == [] }
            }
            await engine.stop()
        }
    }

    @Test("an engine whose WebSocket falls silent opens another one, and receives what it missed")
    func silence() async throws {
        try await AppSync.serve("note", #"{"connectionTimeout":1000,"heartbeatMilliseconds":100}"#) { api in
            let device = try await api.device()
            let engine = try device.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            try await api.control(#"{"silenceSockets":true}"#)
            try await api.mutate("createNote", #"{"id":"1","title":"t"}"#, selecting: Self.everything)
            try await eventually { try await api.differences(device) == [] }
            await engine.stop()
        }
    }

    @Test(
        "an error that passes is no reason to set a change aside",
        arguments: [
            "DynamoDB:ProvisionedThroughputExceededException", "DynamoDB:DynamoDbException",
            "Lambda:TooManyRequestsException", "ExecutionTimeout", "DeltaSyncWriteError", "InternalFailure", "Unknown",
        ])
    func passing(_ errorType: String) async throws {
        try await AppSync.serve { api in
            let device = try await Self.changedDevice(api)
            let fault = #""at":"field","times":2,"fieldError":{"errorType":"\#(errorType)"}"#
            try await api.rules(
                #"{"on":"updateNote",\#(fault)}"#, #"{"on":"createNote",\#(fault)}"#, #"{"on":"syncNotes",\#(fault)}"#)
            #expect(try await device.sync().sent == 3)
            try await api.expectEqual(device)
        }
    }

    @Test(
        "a sync that runs once needs no WebSocket",
        arguments: [
            #"{"rules":[{"at":"socket","status":403}]}"#, #"{"set":{"acknowledgesStarts":false}}"#,
            #"{"set":{"acknowledgesSockets":false}}"#, #"{"set":{"maximumSubscriptions":0}}"#,
        ])
    func noSocket(_ control: String) async throws {
        try await AppSync.serve { api in
            try await api.control(control)
            let (a, b) = (try await Self.changedDevice(api), try await api.device())
            try await a.sync()
            try await b.sync()
            try await api.expectEqual(a, b)
        }
    }

    @Test("a model whose queries fail keeps no other model from being sent and received, and is synced later")
    func oneModel() async throws {
        try await AppSync.serve("relations") { api in
            try await api.rules(#"{"on":"syncTags","at":"field","fieldError":{"errorType":"InternalFailure"}}"#)
            try await api.mutate("createBlog", #"{"id":"b","name":"n"}"#, selecting: "id")
            try await api.mutate("createTag", #"{"id":"t","label":"l"}"#, selecting: "id")
            let device = try await api.device()
            try await device.save("Team", #"{"id":"t","name":"n"}"#)
            let engine = try device.engine(startup: .automatic)
            try await eventually { try await device.store.record("Blog", id: "b") != nil }
            try await eventually { try await api.record("Team", "t") != nil }
            try await api.rules()
            try await eventually { try await api.differences(device) == [] }
            await engine.stop()
        }
    }
}
