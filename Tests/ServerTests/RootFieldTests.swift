import Testing
import TidelogCore
import TidelogSDL

@testable import TidelogServer

/// Tests the description that an API has of its operations and relations.
@Suite("Fields of an API")
struct RootFieldTests {
    private func api(_ name: String) throws -> API { try API(Checkout.text("Tests/Fixtures/api/\(name).graphql")) }

    @Test("the description of a query names its key and the argument for its sort fields")
    func keys() throws {
        let api = try api("composite")
        #expect(api.queries["getProduct"]?.kind == .get)
        #expect(api.queries["syncParts"]?.kind == .sync)
        #expect(
            api.queries["listProducts"]?.kind
                == .list(
                    RootField.KeyArguments(
                        index: nil, partition: "sku",
                        sort: RootField.SortArgument(name: "warehouseShelf", fields: ["warehouse", "shelf"]))))
        #expect(
            api.queries["listShops"]?.kind == .list(RootField.KeyArguments(index: nil, partition: "id", sort: nil)))
        #expect(
            api.queries["productsOfKind"]?.kind
                == .index(
                    RootField.KeyArguments(
                        index: "byKind", partition: "kind",
                        sort: RootField.SortArgument(name: "shelfListedAt", fields: ["shelf", "listedAt"]))))
        let price = RootField.SortArgument(name: "price", fields: ["price"])
        #expect(
            api.queries["productsByNameAndPrice"]?.kind
                == .index(RootField.KeyArguments(index: "productsByNameAndPrice", partition: "name", sort: price)))
        #expect(api.queries.values.allSatisfy { api.models[$0.model] != nil })
    }

    @Test("the list query of a model without its own primary key has no key arguments")
    func plainList() throws { #expect(try api("blog").queries["listBlogs"]?.kind == .list(nil)) }

    @Test("operations that the schema renames or leaves out are renamed or missing in the API")
    func renamed() throws {
        let api = try api("blog")
        #expect(api.queries["allComments"]?.model == "Comment" && api.queries["listComments"] == nil)
        #expect(api.mutations["deleteComment"] == nil)
        #expect(api.models["Comment"]?.mutations == [.create: "createComment", .update: "updateComment"])
        guard case .subscription(let both)? = api.subscriptions["onComment"]?.kind else {
            Issue.record("onComment is no subscription")
            return
        }
        #expect(both.mutations == [.create, .update] && both.takesFilter && both.isAuthorized)
        #expect(api.subscriptions.values.allSatisfy { $0.model != "Picture" })
        #expect(api.models["Comment"]?.createdAt == "addedAt" && api.models["Comment"]?.updatedAt == nil)
        #expect(api.models["Picture"]?.createdAt == nil)
    }

    @Test("the server sets createdAt and updatedAt only if the declared type can hold a time")
    func times() throws {
        let shop = try #require(api("composite").models["Shop"])
        #expect(shop.createdAt == "createdAt" && shop.updatedAt == nil)
    }

    @Test("the description of a relation names the fields and the index by which its records are found")
    func relations() throws {
        let blog = try api("blog")
        let post = try #require(blog.models["Post"])
        #expect(post.relations["blog"]?.kind == .key(["blogPostsId"]))
        #expect(post.relations["cover"]?.kind == .key(["postCoverId"]))
        #expect(
            post.relations["comments"]?.kind
                == .connection(
                    ModelAPI.RelationField.Connection(
                        index: "byPost", fields: ["id"],
                        sort: RootField.SortArgument(name: "writtenAt", fields: ["writtenAt"]), limit: 50)))
        let labels = try api("composite").models["Shop"]?.relations["labels"]?.kind
        #expect(
            labels
                == .connection(
                    ModelAPI.RelationField.Connection(
                        index: nil, fields: ["id"], sort: RootField.SortArgument(name: "number", fields: ["number"]),
                        limit: 100))
        )
        let joined = try api("many-to-many")
        #expect(joined.models["Post"]?.relations["tags"]?.target == "PostTags")
        #expect(
            joined.models["Tag"]?.relations["posts"]?.kind
                == .connection(
                    ModelAPI.RelationField.Connection(
                        index: "byTag", fields: ["name", "language"], sort: nil, limit: 10)))
        #expect(joined.models["PostTags"]?.relations["tag"]?.kind == .key(["tagName", "taglanguage"]))
    }

    @Test("every relation of a documented schema uses an existing index, or as many fields as the key has")
    func relationsOfDocumentation() throws {
        for (name, text) in try Checkout.documentedSchemas() {
            let api = try API(text)
            for model in api.models.values {
                for relation in model.relations.values {
                    let target = try #require(api.schema.model(named: relation.target), "\(name)")
                    let index: String?
                    switch relation.kind {
                    case .key(let fields):
                        #expect(fields.count == target.primaryKey.count, "\(name)")
                        index = nil
                    case .index(let found, _): index = found
                    case .connection(let connection): index = connection.index
                    }
                    #expect(index.map { name in target.indexes.contains { $0.name == name } } ?? true, "\(name)")
                }
            }
        }
    }

    @Test("a subscription that the schema declares is served if its arguments are fields of one model")
    func ownSubscriptions() throws {
        let api = try API(
            """
            type Comment @model { postID: ID! text: String }
            type Subscription {
              onCommentOf(postID: ID!): Comment @aws_subscribe(mutations: ["createComment", "updateComment"])
              onDeleteComment: Comment @aws_subscribe(mutations: ["deleteComment"])
              onSomething(word: String): Comment @aws_subscribe(mutations: ["createComment"])
            }
            """)
        guard case .subscription(let own)? = api.subscriptions["onCommentOf"]?.kind else {
            Issue.record("onCommentOf is not served")
            return
        }
        #expect(own.fields == ["postID"] && !own.takesFilter && own.mutations == [.create, .update])
        #expect(api.sdl.contains("  onDeleteComment: Comment @aws_subscribe"))
        #expect(
            api.notServed.map(\.description) == [
                "5:3: onSomething is no subscription to mutations of one model and is not served"
            ])
    }
}
