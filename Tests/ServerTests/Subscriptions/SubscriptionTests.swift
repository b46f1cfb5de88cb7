import ServerSupport
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogSynchronization

@testable import TidelogServer

@Suite("Subscriptions", .databaseToo)
struct SubscriptionTests {
    static let sdl = """
        type Post @model { id: ID! title: String! comments: [Comment] @hasMany }
        type Comment @model { id: ID! text: String }
        """

    /// The messages that the subscribers received. Each begins with the subscriber's name.
    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ name: String) -> @Sendable (UInt64, [UInt8]) -> Void {
            { [self] _, bytes in lines.withLock { $0.append(name + " " + String(decoding: bytes, as: UTF8.self)) } }
        }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test(
        "subscribers get the changes that they asked for, with all their fields, for any selection of the mutation",
        arguments: Adapter.persistent)
    func told(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let subscriptions = Subscriptions(served.service)
        let told = Told()
        let queries = [
            "created": "subscription { onCreatePost { id title _version } }",
            "same": "subscription { onCreatePost { id title _version } }",
            "filtered": #"subscription { onUpdatePost(filter: {title: {beginsWith: "x"}}) { title } }"#,
            "deleted": "subscription { onDeletePost { id _deleted comments { items { text } } } }",
        ]
        var numbers: [String: UInt64] = [:]
        for (name, query) in queries.sorted(by: { $0.key < $1.key }) {
            numbers[name] = subscriptions.add(
                try subscriptions.prepare(ServiceRequest(query), from: .apiKey), deliver: told.add(name))
        }
        let changes = try await served.versions.changes()
        let following = Task { try await subscriptions.run(changes) }
        _ = try await served.data(#"mutation { createPost(input: {id: "1", title: "a"}) { id } }"#)
        _ = try await served.data(
            #"mutation { createComment(input: {id: "c", text: "t", postCommentsId: "1"}) { id } }"#)
        _ = try await served.data(#"mutation { updatePost(input: {id: "1", title: "b", _version: 1}) { id } }"#)
        _ = try await served.data(#"mutation { updatePost(input: {id: "1", title: "xb", _version: 2}) { id } }"#)
        _ = try await served.data(#"mutation { deletePost(input: {id: "1", _version: 3}) { id } }"#)
        try await eventually { told.all.count == 4 }
        #expect(
            told.all == [
                #"created {"data":{"onCreatePost":{"id":"1","title":"a","_version":1}}}"#,
                #"same {"data":{"onCreatePost":{"id":"1","title":"a","_version":1}}}"#,
                #"filtered {"data":{"onUpdatePost":{"title":"xb"}}}"#,
                #"deleted {"data":{"onDeletePost":{"id":"1","_deleted":true,"comments":{"items":[{"text":"t"}]}}}}"#,
            ])
        for number in numbers.values { subscriptions.remove(number) }
        #expect(subscriptions.count == 0)
        following.cancel()
        _ = await following.result
    }

    @Test(
        "with strict selections, subscribers get only the fields that the mutation selected",
        arguments: Adapter.persistent)
    func strict(adapter: Adapter) async throws {
        var options = ServiceOptions()
        options.isSelectionStrict = true
        let served = try await ServedSchema(Self.sdl, on: adapter, options: options)
        let subscriptions = Subscriptions(served.service)
        let told = Told()
        for (name, query) in [
            "a": "subscription { onCreateComment { __typename id text _version } }",
            "b": "subscription { onUpdateComment { id again: text } }", "c": "subscription { onCreatePost { title } }",
        ].sorted(by: { $0.key < $1.key }) {
            _ = subscriptions.add(
                try subscriptions.prepare(ServiceRequest(query), from: .apiKey), deliver: told.add(name))
        }
        let changes = try await served.versions.changes()
        let following = Task { try await subscriptions.run(changes) }
        for (query, count) in [
            (#"mutation { createComment(input: {id: "1", text: "t"}) { id _version } }"#, 1),
            (#"mutation { updateComment(input: {id: "1", text: "u", _version: 1}) { x: text } }"#, 2),
            (#"mutation { createPost(input: {id: "1", title: "a"}) { id } }"#, 3),
        ] {
            _ = try await served.data(query)
            try await eventually { told.all.count == count }
        }
        #expect(
            told.all[0] == #"a {"data":{"onCreateComment":{"__typename":"Comment","id":"1","text":null,"_version":1}}}"#
        )
        // The mutation did not select `id`. A null `id` is not valid, so the whole record is null.
        #expect(
            told.all[1].hasPrefix(#"b {"data":{"onUpdateComment":null},"errors":[{"path":["onUpdateComment","id"]"#))
        #expect(told.all[2].hasPrefix(#"c {"data":{"onCreatePost":null},"errors":["#))
        following.cancel()
        _ = await following.result
    }

    @Test("a document that does not have exactly one subscription field is refused")
    func refused() async throws {
        let served = try await ServedSchema(Self.sdl)
        let subscriptions = Subscriptions(served.service)
        for query in ["{ listPosts { nextToken } }", "subscription { onCreatePost { id } onDeletePost { id } }", "x"] {
            #expect(throws: (any Error).self) { _ = try subscriptions.prepare(ServiceRequest(query), from: .apiKey) }
        }
    }
}
