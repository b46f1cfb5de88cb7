import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution
import TidelogJSON

@testable import TidelogServer

@Suite("Reports of requests")
struct RequestReportTests {
    private static let sdl = """
        type Post @model {
          id: ID! title: String rank: Int @index(name: "byRank", queryField: "postsByRank", sortKeyFields: ["title"])
        }
        type Seat @model { hall: ID! @primaryKey(sortKeyFields: ["row"]) row: Int! taken: Boolean }
        """

    private static func report(
        _ served: ServedSchema, _ text: String, _ variables: InputObject = [:], id: String? = nil
    ) async throws -> RequestReport {
        var request = ServiceRequest(text, variables: variables)
        try request.setMutations(header: id)
        let response = try await served.service.respond(to: request, from: .apiKey, isReported: true)
        return try #require(response.report)
    }

    private static func json(_ report: RequestReport) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        report.write(to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A service with 100,000 posts of 2,000 ranks, and with 100,000 seats in 1,000 halls.
    private static func full(_ adapter: Adapter) async throws -> ServedSchema {
        let served = try await ServedSchema(sdl, on: adapter)
        for start in stride(from: 0, to: 100_000, by: 10_000) {
            try await served.store.write { transaction in
                for number in start..<start + 10_000 {
                    try transaction.save(post(number))
                    try transaction.save(seat(number))
                }
            }
        }
        return served
    }

    private static func post(_ number: Int) -> Record {
        let values: [String: FieldValue] = [
            "id": .string("p\(number)"), "title": .string("t\(number / 2_000)"), "rank": .int(Int64(number % 2_000)),
            "_version": 1, "_lastChangedAt": .int(Int64(number)),
        ]
        return Record(model: "Post", values: values)
    }

    private static func seat(_ number: Int) -> Record {
        let values: [String: FieldValue] = [
            "hall": .string("h\(number % 1_000)"), "row": .int(Int64(number / 1_000)), "taken": .bool(number % 3 == 0),
            "_version": 1, "_lastChangedAt": .int(Int64(number)),
        ]
        return Record(model: "Seat", values: values)
    }

    @Test(
        "a filter with equality on an index or a key does not scan the table of 100,000 rows",
        arguments: Adapter.persistent)
    func noScan(adapter: Adapter) async throws {
        let served = try await Self.full(adapter)
        let posts: [(filter: String, given: Int)] = [
            (#"{rank: {eq: 7}}"#, 50), (#"{rank: {eq: 7}, title: {ne: "t3"}}"#, 49),
            (#"{rank: {eq: 7}, id: {ne: "p7"}}"#, 49), (#"{and: [{rank: {eq: 7}}, {title: {gt: "t4"}}]}"#, 15),
            (#"{rank: {eq: 7}, title: {beginsWith: "t1"}}"#, 11), (#"{rank: {eq: 7}, title: {eq: "t3"}}"#, 1),
            (#"{rank: {eq: 7}, or: [{title: {eq: "t3"}}, {title: {eq: "t4"}}]}"#, 2),
        ]
        for (filter, given) in posts {
            for field in ["listPosts", "syncPosts"] {
                let report = try await Self.report(
                    served, "{ \(field)(limit: 1000, filter: \(filter)) { items { id } } }")
                let page = try #require(report.fields.first?.page)
                #expect(page.access == .index("byRank"), "\(field) \(filter)")
                #expect(page.givenCount == given && page.readCount <= 50 && !page.sorts, "\(field) \(filter): \(page)")
            }
        }
        for filter in [
            #"{hall: {eq: "h5"}}"#, #"{hall: {eq: "h5"}, row: {ne: 3}}"#, #"{hall: {eq: "h5"}, taken: {eq: true}}"#,
        ] {
            for field in ["listSeats", "syncSeats"] {
                let report = try await Self.report(
                    served, "{ \(field)(limit: 1000, filter: \(filter)) { items { row } } }")
                let page = try #require(report.fields.first?.page)
                #expect(page.access == .key && page.readCount == 100 && !page.sorts, "\(field) \(filter): \(page)")
            }
        }
        let scan = try await Self.report(
            served, #"{ listPosts(limit: 1000, filter: {title: {eq: "t3"}}) { items { id } } }"#)
        #expect(scan.fields.first?.page?.access == .table)
        #expect(scan.fields.first?.page?.readCount == 1_000)
        let delta = try await Self.report(
            served, "{ syncPosts(limit: 1000, lastSync: \(served.clock.now - 1)) { items { id } } }")
        guard case .index? = delta.fields.first?.page?.access else {
            return #expect(Bool(false), "\(delta)")
        }
        #expect(delta.fields.first?.page?.readCount == 0)
    }

    @Test("the report of a mutation says if it was written, kept or repeated, and if it had a conflict")
    func changes() async throws {
        let served = try await ServedSchema(Self.sdl)
        func change(_ text: String, id: String? = nil) async throws -> RequestReport.FieldReport? {
            try await Self.report(served, "mutation Change { \(text) }", id: id).fields.first
        }
        let create = #"x: createPost(input: {id: "1", rank: 1}) { id }"#
        let created = try await change(create, id: "m")
        #expect(created?.field == "createPost" && created?.model == "Post")
        #expect(created?.change == .init(kind: .written, isOfConflict: false))
        #expect(try await change(create, id: "m")?.change == .init(kind: .repeated, isOfConflict: false))
        #expect(try await change(create)?.errorTypes == ["ConditionalCheckFailedException"])
        let update = #"updatePost(input: {id: "1", title: "t", _version: 1}) { id }"#
        #expect(try await change(update)?.change == .init(kind: .written, isOfConflict: false))
        #expect(try await change(update)?.change == .init(kind: .written, isOfConflict: true))
        let delete = #"deletePost(input: {id: "1", _version: 3}) { id }"#
        #expect(try await change(delete)?.change == .init(kind: .written, isOfConflict: false))
        #expect(try await change(delete)?.change == .init(kind: .kept, isOfConflict: false))
    }

    @Test("a report contains no values, and says why a conflict handler gave no verdict")
    func words() async throws {
        var options = ServiceOptions()
        options.strategy = .custom { _ in throw ConflictCase.Failure("the program ended with status 3") }
        let served = try await ServedSchema(Self.sdl, options: options)
        var texts: [String] = []
        for text in [
            #"mutation Make($t: String) { canary: createPost(input: {id: "canary", title: $t}) { title } }"#,
            #"mutation Change($t: String) { updatePost(input: {id: "canary", title: $t}) { title } }"#,
            """
            query Read($t: String) { getPost(id: "canary") { title } listPosts(filter: {title: {eq: $t}}) { items { id } } }
            """,
        ] {
            texts.append(Self.json(try await Self.report(served, text, ["t": .string("canary")])))
        }
        #expect(!texts.joined().contains("canary"), "\(texts)")
        #expect(
            texts[0].hasPrefix(
                #"{"operation":"mutation","name":"Make","fields":[{"field":"createPost","model":"Post","#))
        #expect(texts[1].contains(#""conflictFailure":"the program ended with status 3","errors":["ConflictError"]"#))
        #expect(texts[2].contains(#"{"field":"getPost","model":"Post"},"#))
        #expect(texts[2].contains(#"{"field":"listPosts","model":"Post","scan":"table","read":1,"given":1}],"#))
        #expect(texts[2].contains(#""reads":2,"records":1,"serviceMilliseconds":"#))
    }

    @Test("the report of a refused request has its errors, and a response has no report unless one is asked for")
    func notExecuted() async throws {
        let served = try await ServedSchema(Self.sdl)
        let report = try await Self.report(served, "{ nothing }")
        #expect(report.kind == nil && report.fields.isEmpty && report.errorTypes.count == 1)
        let response = try await served.service.respond(to: ServiceRequest("{ __typename }"), from: .apiKey)
        #expect(response.report == nil)
    }
}
