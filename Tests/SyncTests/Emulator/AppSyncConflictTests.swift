import Foundation
import Testing
import Tidelog
import TidelogJSON
import TidelogSync

@Suite("Conflicts in AppSync's tables", .enabled(if: AppSync.isInstalled, AppSync.isMissing), .timeLimit(.minutes(5)))
struct AppSyncConflictTests {
    enum Strategy: String, CaseIterable {
        case autoMerge = #"{"strategy":"AUTOMERGE"}"#
        case optimistic = #"{"strategy":"OPTIMISTIC_CONCURRENCY"}"#
        case reject = #"{"strategy":"LAMBDA"}"#
        case resolve = #"{"strategy":"LAMBDA","handler":{"action":"RESOLVE","item":{"title":"decided"}}}"#
        case remove = #"{"strategy":"LAMBDA","handler":{"action":"REMOVE"}}"#
    }

    private typealias Handler = ConflictTests.Handler

    /// A short form of a note: title, rating and tags.
    private static func note(_ device: Device, _ id: String) async throws -> String? {
        guard let note = try await device.store.record("Note", id: RecordID(id)) else { return nil }
        let title = if case .string(let text)? = note["title"] { text } else { "-" }
        let rating = if case .int(let number)? = note["rating"] { "\(number)" } else { "-" }
        var tags: [String] = []
        if case .list(let elements)? = note["tags"] {
            for case .string(let tag)? in elements { tags.append(tag) }
        }
        return "\(title) \(rating) \(tags.joined(separator: ","))"
    }

    /// Two devices that know the same record. The first has sent a change of it that the second does not know.
    private static func changedByFirst(_ api: AppSync, _ id: String) async throws -> (Device, Device) {
        let (a, b) = (try await api.device(), try await api.device())
        try await a.save("Note", #"{"id":"\#(id)","title":"t","rating":1,"tags":["x"]}"#)
        try await a.sync()
        try await b.sync()
        try await a.change("Note", id, ["title": "a", "tags": .list(["x", "a"])])
        try await a.sync()
        return (a, b)
    }

    @Test("a conflict of two updates is resolved by the strategy and the handler", arguments: Strategy.allCases)
    func updates(_ strategy: Strategy) async throws {
        try await AppSync.serve("note", strategy.rawValue) { api in
            for handler in Handler.allCases {
                let id = handler.rawValue
                let (a, b) = try await Self.changedByFirst(api, id)
                try await b.change("Note", id, ["title": "b", "rating": 2])
                // If the API answers an update with a deletion, the app can still send the update again.
                try await b.sync(handler.handler, setAside: strategy == .remove ? 1 : 0)
                for entry in try await SyncOutbox(b.store).entries() {
                    try await SyncOutbox(b.store).discard(entry.sequence)
                }
                try await a.sync()
                try await api.expectEqual(a, b)
                let expected: String? =
                    switch (strategy, handler) {
                    case (.autoMerge, _), (.optimistic, .applyRemote), (.reject, .applyRemote): "a 1 x,a"
                    case (.resolve, _): "decided 1 x,a"
                    case (.remove, _): nil
                    case (_, .retryLocal): "b 2 x,a"
                    case (_, .mergeFields): "a 2 x,a"
                    case (_, .custom): "both 1 x,a"
                    }
                #expect(try await Self.note(a, id) == expected, "\(handler)")
            }
        }
    }

    @Test(
        "a conflict of a deletion and an update is resolved by the strategy and the handler",
        arguments: Strategy.allCases)
    func deletions(_ strategy: Strategy) async throws {
        try await AppSync.serve("note", strategy.rawValue) { api in
            for handler in Handler.allCases {
                let id = handler.rawValue
                let (a, b) = try await Self.changedByFirst(api, id)
                try await b.store.delete("Note", id: RecordID(id))
                try await b.sync(handler.handler)
                try await a.sync()
                try await api.expectEqual(a, b)
                let expected: String? =
                    switch (strategy, handler) {
                    case (.remove, _): nil
                    case (.resolve, _): "decided 1 x,a"
                    case (_, .retryLocal): nil
                    case (_, .custom): "both 1 x,a"
                    default: "a 1 x,a"
                    }
                #expect(try await Self.note(a, id) == expected, "\(handler)")
            }
        }
    }

    @Test("two devices that create one record, and two that delete it, converge")
    func twice() async throws {
        try await AppSync.serve { api in
            for handler in Handler.allCases {
                let (a, b) = (try await api.device(), try await api.device())
                let id = handler.rawValue
                try await a.save("Note", #"{"id":"\#(id)","title":"a","rating":1}"#)
                try await b.save("Note", #"{"id":"\#(id)","title":"b","tags":["b"]}"#)
                try await a.sync()
                try await b.sync(handler == .custom ? .applyRemote : handler.handler)
                try await a.sync()
                try await api.expectEqual(a, b)
                switch handler {
                case .applyRemote, .custom: #expect(try await Self.note(a, id) == "a 1 ")
                case .retryLocal: #expect(try await Self.note(a, id) == "b 1 b")
                case .mergeFields: #expect(try await Self.note(a, id) == "a 1 b")
                }
                for device in [a, b] { try await device.store.delete("Note", id: RecordID(id)) }
                for device in [a, b, a] { try await device.sync() }
                try await api.expectEqual(a, b)
            }
        }
    }

    @Test("Auto Merge joins the lists of two devices, and joins each element of a set once")
    func lists() async throws {
        try await AppSync.serve { api in
            for (id, settings, expected) in [
                ("list", #"{"setFields":[]}"#, "a 1 x,a,x,b"), ("set", #"{"setFields":["Note.tags"]}"#, "a 1 x,a,b"),
            ] {
                try await api.set(settings)
                let (a, b) = try await Self.changedByFirst(api, id)
                try await b.change("Note", id, ["tags": .list(["x", "b"])])
                try await b.sync()
                try await a.sync()
                try await api.expectEqual(a, b)
                #expect(try await Self.note(a, id) == expected)
            }
        }
    }

    @Test("a change whose condition the API's record does not fulfil is set aside", arguments: ["", "DynamoDB:"])
    func conditions(_ prefix: String) async throws {
        try await AppSync.serve("note", #"{"errorPrefix":"\#(prefix)"}"#) { api in
            let (a, b) = try await Self.changedByFirst(api, "1")
            try await a.change("Note", "1", ["rating": 9])
            try await a.sync()
            var note = try #require(try await b.store.record("Note", id: "1"))
            note["title"] = "b"
            let changed = note
            try await b.store.write { try $0.save(changed, where: .field("rating", .less(.int(5)))) }
            try await b.sync(setAside: 1)
            #expect(try await Self.note(b, "1") == "a 9 x,a")
            let entry = try #require(try await SyncOutbox(b.store).entries().first)
            #expect(entry.errorType == prefix + "ConditionalCheckFailedException")
            try await SyncOutbox(b.store).discard(entry.sequence)
            try await api.expectEqual(a, b)
        }
    }
}
