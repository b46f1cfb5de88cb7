import ServerSupport
import Testing
import Tidelog
import TidelogServer
import TidelogSync

@Suite("Conflicts with a server", .databaseToo, .timeLimit(.minutes(5)))
struct ConflictTests {
    enum Strategy: String, CaseIterable {
        case autoMerge, optimistic, custom, customReject

        var options: ServiceOptions {
            var options = ServiceOptions()
            options.strategy =
                switch self {
                case .autoMerge: .autoMerge
                case .optimistic: .optimistic
                case .custom:
                    .custom { conflict in
                        guard conflict.mutation == .update else { return .remove }
                        var item = conflict.existingItem
                        item["title"] = .string("decided")
                        return .record(item)
                    }
                case .customReject: .custom { _ in .reject }
                }
            return options
        }

    }

    enum Handler: String, CaseIterable {
        case applyRemote, retryLocal, mergeFields, custom

        var handler: TidelogSync.ConflictHandler {
            switch self {
            case .applyRemote: .applyRemote
            case .retryLocal: .retryLocal
            case .mergeFields: .mergeFields
            case .custom:
                .custom { conflict in
                    #expect(conflict.base?["title"] == .string("t"))
                    #expect(conflict.local?["title"] != .string("t") || conflict.local == nil)
                    var post = conflict.remote
                    post["title"] = .string("both")
                    return .retry(post)
                }
            }
        }
    }

    @Test(
        "a conflict of two updates is resolved by the server's strategy and the device's handler",
        arguments: Strategy.allCases, Handler.allCases)
    func updates(_ strategy: Strategy, _ handler: Handler) async throws {
        try await Device.serve(strategy.options) { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "t", "rating": 1, "tags": .list(["x"])])
            try await a.sync()
            try await b.sync()
            try await a.save("1", ["title": "a", "tags": .list(["x", "a"])])
            try await a.sync()
            try await b.save("1", ["title": "b", "rating": 2])
            try await b.sync(handler.handler)
            let expected =
                switch (strategy, handler) {
                case (.autoMerge, _): "a 1 x,a"
                case (.custom, _): "decided 1 x,a"
                case (_, .applyRemote): "a 1 x,a"
                case (_, .retryLocal): "b 2 x,a"
                case (_, .mergeFields): "a 2 x,a"
                case (_, .custom): "both 1 x,a"
                }
            #expect(try await b.post("1") == expected)
            try await a.sync()
            #expect(try await a.post("1") == expected)
        }
    }

    @Test("a handler's record is sent with the fields that differ from the server's record")
    func readOnlyField() async throws {
        let sdl = """
            type Post @model @auth(rules: [{allow: public}]) {
              id: ID! title: String tags: [String]
              rating: Int @auth(rules: [{allow: public, operations: [read]}])
            }
            """
        var options = ServiceOptions()
        options.strategy = .optimistic
        try await RunningServer.serve(sdl, Authenticator(apiKey: Device.key), options: options) { port in
            let (a, b) = (try await Device(port, sdl: sdl), try await Device(port, sdl: sdl))
            try await a.save("1", ["title": "t"])
            try await a.sync()
            try await b.sync()
            try await a.save("1", ["title": "a"])
            try await a.sync()
            try await b.save("1", ["title": "b"])
            try await b.sync(Handler.custom.handler)
            #expect(try await b.post("1") == "both - ")
        }
    }

    /// Two devices that know the same record. The first has sent a change of it that the second does not know.
    private static func changedByFirst(_ port: Int) async throws -> (Device, Device) {
        let (a, b) = (try await Device(port), try await Device(port))
        try await a.save("1", ["title": "t", "rating": 1])
        try await a.sync()
        try await b.sync()
        try await a.save("1", ["title": "a"])
        try await a.sync()
        return (a, b)
    }

    @Test("without a conflict handler of the app, a conflict ends with the server's record")
    func defaultHandler() async throws {
        try await Device.serve(Strategy.optimistic.options) { port in
            let (a, b) = try await Self.changedByFirst(port)
            // The other handlers would keep this rating, which the server's change leaves alone.
            try await b.save("1", ["rating": 2])
            let report = await (try b.engine()).runOnce()
            #expect(report.failure == nil && report.pending == 0 && report.setAside == 0)
            #expect(try await b.post("1") == "a 1 ")
            try await a.sync()
            #expect(try await a.post("1") == "a 1 ")
        }
    }

    @Test(
        "a conflict of a deletion and an update is resolved by the server's strategy and the device's handler",
        arguments: Strategy.allCases, Handler.allCases)
    func deletions(_ strategy: Strategy, _ handler: Handler) async throws {
        try await Device.serve(strategy.options) { port in
            let (a, b) = try await Self.changedByFirst(port)
            try await b.delete("1")
            try await b.sync(handler.handler)
            // Auto Merge refuses the deletion of a changed record too.
            let expected: String? =
                switch (strategy, handler) {
                case (.custom, _), (_, .retryLocal): nil
                case (_, .custom): "both 1 "
                default: "a 1 "
                }
            #expect(try await b.post("1") == expected)
            try await a.sync()
            #expect(try await a.post("1") == expected)
        }
    }

    @Test(
        "an update of a record that another device deleted is set aside, and a retry creates the record again",
        arguments: Strategy.allCases)
    func updateOfDeleted(_ strategy: Strategy) async throws {
        try await Device.serve(strategy.options) { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "t", "rating": 1])
            try await a.sync()
            try await b.sync()
            try await a.delete("1")
            try await a.sync()
            try await b.save("1", ["title": "b"])
            try await b.sync(.retryLocal, setAside: 1)
            #expect(try await b.post("1") == nil)
            let outbox = try SyncOutbox(b.store)
            let entry = try #require(try await outbox.entries().first)
            #expect(entry.state == .setAside && entry.errorType == "RecordDeleted")
            // If the app sends the change again, the server creates the record again, with all its fields.
            #expect(try await outbox.retry(entry.sequence))
            try await b.sync()
            #expect(try await b.post("1") == "b 1 ")
            try await a.sync()
            #expect(try await a.post("1") == "b 1 ")
        }
    }

    @Test("two devices that create the same record converge", arguments: Handler.allCases)
    func creations(_ handler: Handler) async throws {
        try await Device.serve { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "a", "rating": 1])
            try await b.save("1", ["title": "b", "tags": .list(["b"])])
            try await a.sync()
            try await b.sync(handler == .custom ? .applyRemote : handler.handler)
            try await a.sync()
            let post = try await a.post("1")
            #expect(try await b.post("1") == post)
            switch handler {
            case .applyRemote, .custom: #expect(post == "a 1 ")
            case .retryLocal: #expect(post == "b 1 b")
            case .mergeFields: #expect(post == "a 1 b")
            }
        }
    }

    @Test("a record that two devices delete is gone, and nothing is set aside", arguments: Strategy.allCases)
    func twoDeletions(_ strategy: Strategy) async throws {
        try await Device.serve(strategy.options) { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "t"])
            try await a.sync()
            try await b.sync()
            for device in [a, b] { try await device.delete("1") }
            for device in [a, b, a] {
                try await device.sync()
                #expect(try await device.post("1") == nil)
            }
            #expect(try await a.engine().verify().isEqual)
        }
    }

    @Test("changes after a refused conditional change are set aside with it, and a retry sends all of them")
    func afterCondition() async throws {
        try await Device.serve { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "t", "rating": 1])
            try await a.sync()
            try await b.sync()
            try await a.save("1", ["rating": 9])
            try await a.sync()
            var post = try #require(try await b.store.record("Post", id: "1"))
            post["title"] = "b"
            let changed = post
            try await b.store.write { try $0.save(changed, where: .field("rating", .less(.int(5)))) }
            try await b.save("1", ["tags": .list(["later"])])
            try await b.save("2", ["title": "other"])
            #expect(try await b.sync(setAside: 1).sent == 1)
            #expect(try await b.post("1") == "t 9 ")
            let outbox = try SyncOutbox(b.store)
            let entry = try #require(try await outbox.entries().first)
            try await outbox.retry(entry.sequence)
            #expect(try await b.post("1") == "b 9 later")
            try await b.sync()
            try await a.sync()
            #expect(try await a.post("1") == "b 9 later")
        }
    }

    @Test("a conditional change that the server refuses is set aside, and the server's record replaces it")
    func conditions() async throws {
        try await Device.serve { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "t", "rating": 1])
            try await a.sync()
            try await b.sync()
            try await a.save("1", ["rating": 9])
            try await a.sync()
            var post = try #require(try await b.store.record("Post", id: "1"))
            post["title"] = "b"
            let changed = post
            try await b.store.write {
                try $0.save(changed, where: .field("rating", .less(.int(5))))
            }
            try await b.sync(setAside: 1)
            #expect(try await b.post("1") == "t 9 ")
            let entries = try await SyncOutbox(b.store).entries()
            #expect(entries.map(\.state) == [.setAside])
            #expect(entries.first?.errorType?.hasSuffix("ConditionalCheckFailedException") == true)
        }
    }

    @Test("a retry of a few fields of a deleted record is an error that says to discard the change")
    func incompleteRetry() async throws {
        let sdl = "type Post @model { id: ID! title: String! rating: Int tags: [String] }"
        try await Device.serve(sdl: sdl) { port in
            let (a, b) = (try await Device(port, sdl: sdl), try await Device(port, sdl: sdl))
            try await a.save("1", ["title": "t", "rating": 1])
            try await a.sync()
            try await b.sync()
            try await a.save("1", ["title": "other"])
            try await a.sync()
            var post = try #require(try await b.store.record("Post", id: "1"))
            post["rating"] = 2
            let changed = post
            try await b.store.write { try $0.save(changed, where: .field("title", .equal(.string("t")))) }
            try await b.sync(setAside: 1)
            try await a.delete("1")
            try await a.sync()
            try await b.sync(setAside: 1)
            let outbox = try SyncOutbox(b.store)
            let entry = try #require(try await outbox.entries().first)
            let error = await #expect(throws: DataStoreError.self) { try await outbox.retry(entry.sequence) }
            #expect(error?.code == .invalidValue && error?.recordID == "1")
            #expect(error?.recovery.contains("Discard the change") == true)
            #expect(try await outbox.entries() == [entry])
            #expect(try await outbox.discard(entry.sequence))
            #expect(try await outbox.entries().isEmpty)
        }
    }
}
