import Dispatch
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Limits of what filters compare")
struct ComparisonLimitTests {
    private static let sdl = "type Post @model { id: ID! text: String }"
    private static let text = String(repeating: "abcd", count: 250_000)

    private static func served(compared: Int? = nil, ofChange: Int? = nil) async throws -> ServedSchema {
        var options = ServiceOptions()
        if let compared { options.maximumComparedBytes = compared }
        if let ofChange { options.maximumComparedBytesOfChange = ofChange }
        let served = try await ServedSchema(sdl, options: options)
        for number in 1...3 { try await save("p\(number)", in: served) }
        return served
    }

    private static func save(_ id: String, in served: ServedSchema) async throws {
        _ = try await served.data(
            "mutation M($text: String) { createPost(input: {id: \"\(id)\", text: $text}) { id } }",
            ["text": .string(text)])
    }

    /// A filter that looks for `count` parts in the text, which contains none of them.
    private static func filter(_ count: Int) -> String {
        "{or: [" + (1...count).map { "{text: {contains: \"abcx\($0)\"}}" }.joined(separator: ", ") + "]}"
    }

    /// A filter that passes if the text contains none of `count` parts. Every text of these tests passes.
    private static func absent(_ count: Int) -> String {
        "{and: [" + (1...count).map { "{text: {notContains: \"abcx\($0)\"}}" }.joined(separator: ", ") + "]}"
    }

    private static func response(_ served: ServedSchema, _ query: String) async throws -> ServiceResponse {
        try await served.service.respond(to: ServiceRequest(query), from: .apiKey)
    }

    @Test("a filter that compares more than the limit gives an error, and the earlier fields keep their data")
    func filters() async throws {
        let served = try await Self.served()
        let response = try await Self.response(
            served,
            "{ getPost(id: \"p1\") { id } first: listPosts(filter: \(Self.filter(2))) { items { id } } "
                + "second: listPosts(filter: \(Self.filter(400))) { items { id } } }")
        #expect(response.errors.map(\.errorType) == ["LimitExceededException"])
        #expect(response.errors.first?.path == [.field("second")])
        #expect(response.errors.first?.message.contains("filters that compare more than 67108864 bytes") ?? false)
        #expect(response.data["getPost"]?["id"]?.text == "p1")
        #expect(response.data["first"]?["items"]?.elements.isEmpty ?? false)
    }

    @Test("all fields of a request share one limit")
    func together() async throws {
        let served = try await Self.served(compared: 10_000_000)
        let field = "listPosts(filter: \(Self.filter(1))) { items { id } }"
        let fields = (1...4).map { "a\($0): \(field)" }.joined(separator: " ")
        let response = try await Self.response(served, "{ \(fields) }")
        #expect(response.errors.map(\.errorType) == ["LimitExceededException"])
        #expect(try await Self.response(served, "{ \(field) }").errors.isEmpty)
    }

    @Test("a test of a short value counts eight bytes")
    func shortValues() async throws {
        let served = try await Self.served(compared: 10_000)
        let tests = { (count: Int) in
            "{or: [" + Array(repeating: "{id: {eq: \"x\"}}", count: count).joined(separator: ", ") + "]}"
        }
        let query = { (count: Int) in "{ listPosts(filter: \(tests(count))) { items { id } } }" }
        #expect(try await Self.response(served, query(400)).errors.isEmpty)
        let response = try await Self.response(served, query(420))
        #expect(response.errors.map(\.errorType) == ["LimitExceededException"])
    }

    @Test("a mutation whose condition compares more than the limit changes nothing")
    func conditions() async throws {
        let served = try await Self.served(compared: 10_000_000)
        for mutation in [
            "updatePost(input: {id: \"p1\", text: \"new\", _version: 1}", "deletePost(input: {id: \"p1\", _version: 1}",
        ] {
            let response = try await Self.response(
                served, "mutation { \(mutation), condition: {not: \(Self.filter(20))}) { id } }")
            #expect(response.errors.map(\.errorType) == ["LimitExceededException"])
            #expect(try await served.versions.record("Post", "p1")?["text"] == .string(Self.text))
        }
        let allowed = try await Self.response(
            served,
            "mutation { deletePost(input: {id: \"p1\", _version: 1}, condition: {not: \(Self.filter(5))}) { id } }")
        #expect(allowed.errors.isEmpty)
    }

    @Test("a subscriber whose filter compares more than the limit gets an error instead of the change")
    func subscriptions() async throws {
        let served = try await Self.served()
        let subscriptions = Subscriptions(served.service)
        let told = Shared<[String]>([])
        for count in [3, 400] {
            let query = "subscription { onCreatePost(filter: \(Self.absent(count))) { id } }"
            _ = subscriptions.add(try subscriptions.prepare(ServiceRequest(query), from: .apiKey)) { _, json in
                told.update { $0.append(String(decoding: json, as: UTF8.self)) }
            }
        }
        let changes = try await served.versions.changes()
        let following = Task { try await subscriptions.run(changes) }
        try await Self.save("new", in: served)
        try await eventually { told.value.count == 2 }
        following.cancel()
        _ = await following.result
        #expect(told.value.contains(#"{"data":{"onCreatePost":{"id":"new"}}}"#))
        #expect(
            told.value.contains {
                $0.hasPrefix(#"{"data":{"onCreatePost":null},"errors":[{"#) && $0.contains("LimitExceededException")
            })
    }

    @Test("a long filter lets other tasks run in between, and ends when its task is cancelled")
    func turns() async throws {
        let served = try await Self.served()
        for number in 4...20 { try await Self.save("p\(number)", in: served) }
        var query = PageQuery(Record.all(of: "Post"), limit: 100)
        query.filter = .field("text", .contains(.string("abcx")))
        let asked = query
        let order = Shared<[String]>([])
        let thread = OneThread()
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: thread) {
                order.update { $0.append("begin") }
                let context = RequestContext(served.service, .apiKey)
                let page = try? await context.page(asked)
                order.update { $0.append("end \(page?.records.count ?? -1) of \(page?.count ?? -1)") }
            }
            group.addTask(executorPreference: thread) { order.update { $0.append("other") } }
            thread.begin()
        }
        #expect(order.value == ["begin", "other", "end 0 of 20"])

        let context = RequestContext(served.service, .apiKey)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await context.page(asked)
        }
        await #expect(throws: ResolverError.self) { try await task.value }
        #expect(context.comparisons.byteCount < 2_000_000)
    }

    @Test("the work on a request ends when its client disconnects")
    func leaving() async throws {
        let scratch = try Scratch()
        let api = try API(SchemaDocument(sdl: Array(Self.sdl.utf8)))
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: .inMemory(),
            configuration: DataStoreConfiguration(durability: .relaxed))
        let configuration = Server.Configuration(
            listener: Listener.Configuration(port: 0), authenticator: Authenticator(apiKey: "da2-key"))
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: Self.sdl, tombstoneAge: 1_000_000,
            clock: configuration.environment.clock)
        let slow = SlowPages(versions)
        let server = try await Server.start(api, over: slow, configuration)
        try await onThread { [port = server.port] in
            let fields = (1...30).map { "a\($0): listPosts { items { id } }" }.joined(separator: " ")
            let body = RunningServer.body("{ \(fields) }")
            let client = try RawClient(port)
            client.send(
                "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: da2-key\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(slow.hasBegun(within: 20))
            client.reset()
        }
        try await eventually { slow.cancelledCount.value > 0 }
        await server.stop(within: .seconds(5))
        #expect(slow.pageCount.value < 30)
        try await store.close()
    }
}

/// Runs jobs one at a time, in the order in which they arrive. The first job waits for ``begin()``.
private final class OneThread: TaskExecutor {
    private let queue: DispatchQueue

    init() {
        queue = DispatchQueue(label: "one thread", attributes: .initiallyInactive)
    }

    func begin() { queue.activate() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
