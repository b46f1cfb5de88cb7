import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogJSON
import TidelogSync

@Suite("AppSync's pages", .enabled(if: AppSync.isInstalled, AppSync.isMissing), .timeLimit(.minutes(5)))
struct AppSyncPageTests {
    private static func fill(_ api: AppSync, _ count: Int) async throws -> Device {
        let device = try await api.device()
        for number in 0..<count {
            try await device.save("Note", #"{"id":"n\#(number)","title":"t\#(number % 3)","rating":\#(number)}"#)
        }
        #expect(try await device.sync().sent == count)
        return device
    }

    private static func sync(
        _ device: Device, _ configuration: SyncConfiguration = SyncConfiguration(syncPageSize: 7)
    ) async throws -> SyncReport {
        let report = await (try device.engine(configuration)).runOnce()
        #expect(report.failure == nil && report.pending == 0)
        return report
    }

    @Test(
        "a base query receives every page, also if pages are short or empty, or if answers are compressed or chunked",
        arguments: [
            "{}", #"{"pageLimit":3}"#, #"{"emptyPages":2}"#, #"{"isCompressed":true}"#, #"{"isChunked":true}"#,
            #"{"closesConnections":true}"#,
        ])
    func base(_ settings: String) async throws {
        try await AppSync.serve { api in
            let first = try await Self.fill(api, 30)
            try await api.set(settings)
            let second = try await api.device()
            let report = try await Self.sync(second)
            #expect(report.received == 30 && report.queries == ["Note": .base])
            try await api.expectEqual(first, second)
        }
    }

    @Test("a query whose time is ahead of the changes that its pages lack hides none of them from the next query")
    func clocks() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await Self.fill(api, 5), try await api.device())
            try await api.set(#"{"startedAtSkew":30000}"#)
            _ = try await Self.sync(b)
            try await a.change("Note", "n0", ["title": "later"])
            try await a.sync()
            #expect(try await Self.sync(b).queries == ["Note": .delta])
            try await api.expectEqual(a, b)
        }
    }

    @Test("a record with a field that the caller may not read arrives, and its change leaves that field as it was")
    func unreadable() async throws {
        try await AppSync.serve { api in
            try await api.mutate("createNote", #"{"id":"1","title":"a","body":"secret"}"#, selecting: "id")
            try await api.set(#"{"unreadable":["Note.body"]}"#)
            let device = try await api.device()
            #expect(try await Self.sync(device).received == 1)
            #expect(try await device.value("Note", "1", "title") == "a")
            #expect(try await device.value("Note", "1", "body") == nil)
            try await device.change("Note", "1", ["title": "b"])
            #expect(try await Self.sync(device).sent == 1)
            #expect(try await api.record("Note", "1")?["title"] == .string("b"))
            #expect(try await api.record("Note", "1")?["body"] == .string("secret"))
        }
    }

    @Test("a delta query receives changes, deletions and new records, and each version once")
    func delta() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await Self.fill(api, 20), try await api.device())
            _ = try await Self.sync(b)
            for number in 0..<12 { try await a.change("Note", "n\(number)", ["title": "changed"]) }
            for number in 10..<15 { try await a.store.delete("Note", id: RecordID("n\(number)")) }
            try await a.save("Note", #"{"id":"new","title":"new"}"#)
            try await a.sync()
            for number in 0..<3 { try await a.change("Note", "n\(number)", ["title": "twice"]) }
            try await a.sync()
            let report = try await Self.sync(b)
            #expect(report.queries == ["Note": .delta])
            try await api.expectEqual(a, b)
        }
    }

    @Test("a device that was away for longer than the delta table lasts loses no deletion and no change")
    func away() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await Self.fill(api, 10), try await api.device())
            _ = try await Self.sync(b)
            try await a.store.delete("Note", id: "n1")
            try await a.change("Note", "n2", ["title": "changed"])
            try await a.sync()
            // The API answers with a base query, although the device asked for changes.
            try await api.set(#"{"deltaMilliseconds":-1}"#)
            _ = try await Self.sync(b)
            try await api.expectEqual(a, b)
        }
    }

    @Test("a base query removes a record whose deletion the API has forgotten")
    func forgotten() async throws {
        try await AppSync.serve("note", #"{"removesTombstones":true}"#) { api in
            let (a, b) = (try await Self.fill(api, 10), try await api.device())
            _ = try await Self.sync(b)
            try await a.store.delete("Note", id: "n1")
            try await a.sync()
            #expect(try await api.record("Note", "n1") == nil)
            let old = SyncConfiguration(syncInterval: .zero, syncPageSize: 7)
            #expect(try await Self.sync(b, old).queries == ["Note": .base])
            try await api.expectEqual(a, b)
        }
    }

    @Test("a page token that the API refuses makes the base query begin again")
    func tokens() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await Self.fill(api, 20), try await api.device())
            let error = #"{"message":"Invalid pagination token given.","errorType":"BadRequestException"}"#
            try await api.rules(#"{"on":"syncNotes","at":"field","skip":1,"times":1,"fieldError":\#(error)}"#)
            _ = try await Self.sync(b)
            try await api.expectEqual(a, b)
        }
    }

    @Test("sync expressions go to the API as filters, and a record that leaves the expression leaves the device")
    func expressions() async throws {
        try await AppSync.serve { api in
            let (a, b) = (try await Self.fill(api, 20), try await api.device())
            let configuration = SyncConfiguration(
                syncPageSize: 7,
                syncExpressions: [
                    .syncExpression("Note") { .field("rating", .less(.int(10))) && .field("title", .notEqual("t0")) }
                ])
            _ = try await Self.sync(b, configuration)
            #expect(try await b.store.fetch(Record.all(of: "Note")).count == 6)
            #expect(try await api.requests("syncNotes").last?["variables"]?["filter"] != nil)
            try await a.change("Note", "n1", ["rating": 50])
            try await a.change("Note", "n12", ["rating": 2, "title": "moved"])
            try await a.sync()
            _ = try await Self.sync(b, configuration)
            let ids = try await b.store.fetch(Record.all(of: "Note")).map { $0["id"] }
            #expect(Set(ids) == ["n2", "n4", "n5", "n7", "n8", "n12"])
        }
    }

    @Test("a null in a page is reported, and the sync does not count as complete")
    func nulls() async throws {
        try await AppSync.serve { api in
            _ = try await Self.fill(api, 5)
            try await api.set(#"{"nullEvery":5}"#)
            let device = try await api.device()
            let report = await (try device.engine()).runOnce()
            #expect(report.failure == nil && report.received == 4 && report.problems.count == 1)
            try await api.set(#"{"nullEvery":0}"#)
            #expect(try await Self.sync(device).queries == ["Note": .base])
            try await api.expectEqual(device)
        }
    }
}
