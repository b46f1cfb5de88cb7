import SeededNumbers
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Documents with several mutations, compared with single mutations")
struct MutationBatchDifferenceTests {
    private static let sdl = """
        type Blog @model @auth(rules: [{allow: public}]) {
          id: ID! title: String rank: Int tags: [String] posts: [Post] @hasMany
        }
        type Post @model @auth(rules: [{allow: public}]) { id: ID! title: String! blog: Blog @belongsTo }
        type Private @model @auth(rules: [{allow: private}]) { id: ID! }
        """

    private static let subscriptions = ["Blog", "Post"].flatMap { model in
        ["onCreate", "onUpdate", "onDelete"].map {
            "subscription { \($0)\(model) { id title _version _deleted _lastChangedAt updatedAt } }"
        }
    }

    /// A service, and the messages that its subscribers received.
    private struct Side {
        let served: ServedSchema
        let subscriptions: Subscriptions
        let messages = Shared<[String]>([])
        let following: Task<Void, any Error>

        init(_ options: ServiceOptions, _ adapter: Adapter) async throws {
            served = try await ServedSchema(sdl, on: adapter, options: options)
            let (subscriptions, messages) = (Subscriptions(served.service), self.messages)
            self.subscriptions = subscriptions
            for query in MutationBatchDifferenceTests.subscriptions {
                _ = subscriptions.add(try subscriptions.prepare(ServiceRequest(query), from: .apiKey)) {
                    number, bytes in
                    messages.update { $0.append("\(number) \(String(decoding: bytes, as: UTF8.self))") }
                }
            }
            let changes = try await served.versions.changes()
            following = Task { try await subscriptions.run(changes) }
        }

        /// The data by alias, and the errors without their places in the document.
        func ask(_ fields: [Field]) async throws -> (data: [String: ResponseValue], errors: [GraphQLError]) {
            let mutations = fields.map { "\($0.alias): \($0.text)" }.joined(separator: " ")
            let document =
                #"mutation M($missing: String = "x") { \#(mutations) unused: __typename @include(if: false) }"#
            // The document uses the variable only if one of its mutations does.
            let uses = document.contains(" $missing")
            var request = ServiceRequest(
                uses ? document : document.replacing(#"M($missing: String = "x") "#, with: ""),
                variables: uses ? ["missing": .null] : [:])
            if fields[0].id != nil {
                try request.setMutations(header: fields.compactMap(\.id).joined(separator: ","))
            }
            let response = try await served.service.respond(to: request, from: .apiKey)
            var data: [String: ResponseValue] = [:]
            for field in fields { data[field.alias] = response.data[field.alias] }
            return (
                data,
                response.errors.map { error in
                    var error = error
                    error.locations = []
                    return error
                }
            )
        }

        /// All records of the store, with the answers to named changes.
        func records() async throws -> [String] {
            try await served.store.read { snapshot in
                try ["Blog", "Post", "Private", ServerModels.answer].flatMap { model in
                    try snapshot.fetch(Record.all(of: model)).map { record in
                        "\(model) \(record.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
                    }.sorted()
                }
            }
        }

        /// The number of changes that were written: each counts a version, and tombstones stay.
        func writtenCount() async throws -> Int {
            try await served.store.read { snapshot in
                try ["Blog", "Post", "Private"].reduce(0) { count, model in
                    try snapshot.fetch(Record.all(of: model)).reduce(count) { $0 + Int($1.version) }
                }
            }
        }

        /// The messages up to the one about the last change, which this method makes.
        func allMessages() async throws -> [String] {
            // With strict selections, a message has only the fields that its mutation selected.
            let last = "id title _version _deleted _lastChangedAt updatedAt"
            _ = try await served.data("mutation { createPost(input: {id: \"last\", title: \"last\"}) { \(last) } }")
            try await eventually { messages.value.contains { $0.contains("\"last\"") } }
            following.cancel()
            _ = await following.result
            return messages.value
        }
    }

    private struct Field {
        let alias: String
        let text: String
        let id: String?
    }

    /// A random mutation. Few keys and versions, so that conflicts, repeats and missing records are frequent.
    private static func mutation(_ random: inout SeededGenerator) -> String {
        let model = random.pick(["Blog", "Blog", "Post"])
        let key = random.once(in: 8) ? nil : "\(model)\(random.below(4))"
        var input = key.map { ["id: \"\($0)\""] } ?? []
        let title = random.once(in: 10) ? "$missing" : "\"t\(random.below(20))\""
        if random.once(in: 20) { return #"createPrivate(input: {id: "1"}) { id }"# }
        let kind = key == nil ? "create" : random.pick(["create", "update", "update", "update", "delete"])
        if kind != "delete" {
            if kind == "create" || !random.once(in: 3) { input.append("title: \(title)") }
            if model == "Blog" {
                if random.once(in: 2) { input.append("rank: \(random.below(5))") }
                if random.once(in: 3) { input.append("tags: [\"\(random.below(3))\"]") }
            } else if random.once(in: 2) {
                input.append("blogPostsId: \"Blog\(random.below(4))\"")
            }
        }
        if kind != "create", !random.once(in: 8) { input.append("_version: \(1 + random.below(5))") }
        let condition =
            random.once(in: 6) ? ", condition: {title: {ne: \"t\(random.below(20))\"}}" : ""
        var selection = ["id", "title", "_version", "_deleted", "_lastChangedAt", "createdAt", "updatedAt"]
        if random.once(in: 8) {
            selection.append(model == "Blog" ? "posts { items { id title } }" : "blog { id title }")
        }
        return
            "\(kind)\(model)(input: {\(input.joined(separator: ", "))}\(condition)) { \(selection.joined(separator: " ")) }"
    }

    private static func options(_ random: inout SeededGenerator) -> ServiceOptions {
        var options = ServiceOptions()
        options.isSelectionStrict = random.once(in: 3)
        options.strategy = random.pick([
            .autoMerge, .optimistic, .unconditional,
            .custom { conflict in
                if conflict.existingItem.version % 3 == 0 { return .reject }
                if conflict.mutation == .delete { return .remove }
                var record = conflict.existingItem
                record["title"] = conflict.newItem["title"]
                return .record(record)
            },
        ])
        return options
    }

    @Test(
        "a document with N mutations has the same responses, records and messages as N requests in the same order",
        arguments: Adapter.persistent)
    func difference(adapter: Adapter) async throws {
        let first = UInt64.random(in: 0..<1 << 32)
        var errorTypes: Set<String> = []
        var messageCount = 0
        for seed in first..<first + 12 {
            var random = SeededGenerator(seed)
            let options = Self.options(&random)
            let (batched, single) = (try await Side(options, adapter), try await Side(options, adapter))
            for document in 0..<12 {
                var known: Set<String> = []
                let hasIDs = random.once(in: 2)
                let fields = (0...random.below(25)).map { index in
                    // A document has no id twice, but later documents use some ids again, mostly for other mutations.
                    let reused = "again-\(random.below(10))"
                    let id = random.once(in: 6) && known.insert(reused).inserted ? reused : "\(document)+\(index)"
                    return Field(alias: "m\(index)", text: Self.mutation(&random), id: hasIDs ? id : nil)
                }
                let answer = try await batched.ask(fields)
                var data: [String: ResponseValue] = [:]
                var errors: [GraphQLError] = []
                for field in fields {
                    let part = try await single.ask([field])
                    data.merge(part.data) { $1 }
                    errors += part.errors
                }
                #expect(answer.data == data, "seed \(seed), document \(document)")
                #expect(answer.errors == errors, "seed \(seed), document \(document)")
                errorTypes.formUnion(errors.compactMap(\.errorType))
                for side in [batched, single] { side.served.clock.now += 1 }
            }
            #expect(try await batched.records() == single.records(), "seed \(seed)")
            let messages = try await batched.allMessages()
            #expect(try await messages == single.allMessages(), "seed \(seed)")
            #expect(try await messages.count == batched.writtenCount(), "seed \(seed): each change has a message")
            messageCount += messages.count
        }
        // A single seed may have conflicts almost everywhere.
        #expect(messageCount > 300, "seed \(first): \(messageCount)")
        #expect(
            errorTypes.isSuperset(of: [
                "ConditionalCheckFailedException", "ConflictUnhandled", "Unauthorized", "MutationIDTaken",
            ]), "seed \(first): \(errorTypes)")
    }
}
