import Testing
import TidelogSDL
import TidelogSchema

/// The lowered schemas have the properties that Amplify's documentation describes.
@Suite struct DocumentationFactTests {
    private func model(_ name: String, in fixture: String) throws -> ModelSchema {
        try #require(Fixture.schema(fixture).model(named: name))
    }

    private func fields(_ name: String, in fixture: String) throws -> [String] {
        try model(name, in: fixture).fields.map { "\($0.name): \($0.scalar ?? $0.type.sdl)\($0.isRequired ? "!" : "")" }
    }

    // MARK: Keys

    @Test(arguments: [
        ("datastore-key-implied-id", "Customer", ["id"]), ("datastore-key-declared-id", "Customer", ["id"]),
        ("datastore-key-primary-id", "Customer", ["id"]), ("datastore-key-renamed-id", "Customer", ["customerId"]),
        ("datastore-key-id-and-date", "Customer", ["id", "dob"]),
        ("datastore-key-country-and-id", "Customer", ["country", "id"]),
        ("datastore-key-zip-and-username", "Customer", ["zip", "username"]),
        ("datastore-key-composite", "Book", ["isbn", "title"]), ("sql-ingredient", "Ingredient", ["id"]),
        ("warehouse-management", "Inventory", ["productID", "warehouseID"]),
    ])
    func `a documented model has the primary key that its page describes`(
        _ fixture: String, _ name: String, _ key: [String]
    ) throws {
        #expect(try model(name, in: fixture).primaryKey == key)
    }

    @Test func `a model without a declared key has an id, and a model with another key has no id`() throws {
        #expect(
            try fields("Todo", in: "model-simple") == [
                "id: ID!", "content: String", "createdAt: AWSDateTime", "updatedAt: AWSDateTime",
            ])
        #expect(try model("Todo", in: "model-custom-key").field(named: "id") == nil)
        #expect(try fields("Ingredient", in: "sql-ingredient").first == "id: Int!")
    }

    // MARK: Timestamps

    @Test func `timestamps have the names that @model gives them, and are read-only unless they are declared`() throws {
        let renamed = try model("Todo", in: "model-renamed-timestamps")
        #expect(renamed.fields.filter(\.isReadOnly).map(\.name) == ["createdOn", "updatedOn"])
        let declared = try model("Post", in: "legacy-model-own-timestamps")
        #expect(
            declared.fields.filter { $0.isRequired && !$0.isReadOnly }.map(\.name).suffix(2) == [
                "createdAt", "updatedAt",
            ])
        let one = try model("User", in: "datastore-selective-sync-user")
        #expect(one.field(named: "createdAt")?.isReadOnly == false)
        #expect(one.field(named: "updatedAt")?.isReadOnly == true)
        let none = try Schema(sdl: "type A @model(timestamps: null) { a: Int }").models[0]
        #expect(none.fields.map(\.name) == ["id", "a"])
        let single = try Schema(sdl: "type A @model(timestamps: {createdAt: null}) { a: Int }").models[0]
        #expect(single.fields.map(\.name) == ["id", "a", "updatedAt"])
    }

    // MARK: Indexes

    @Test func `an index has a query with an implied or a given name, unless the schema says null`() throws {
        let implied = try model("Customer", in: "model-index").indexes
        #expect(
            implied == [
                IndexSchema(
                    name: "customersByAccountRepresentativeID", fields: ["accountRepresentativeID"],
                    queryField: "customersByAccountRepresentativeID")
            ])
        let named = try model("Customer", in: "model-named-index").indexes
        #expect(named.map(\.queryField) == ["customerByRepresentative"])
        #expect(try model("Customer", in: "model-index-without-query").indexes.map(\.queryField) == [nil])
        let sorted = try model("Customer", in: "model-index-sort-key").indexes
        #expect(sorted[0].fields == ["name", "phoneNumber"])
    }

    @Test func `the warehouse schema has an index for each access pattern of its orders`() throws {
        let schema = try Fixture.schema("warehouse-management")
        #expect(schema.models.count == 7)
        let indexes = try #require(schema.model(named: "Order")).indexes
        #expect(
            indexes.map(\.name) == [
                "byCustomerByStatusByDate", "byCustomerByDate", "byRepresentativebyDate", "byProduct",
            ])
        #expect(indexes[0].fields == ["customerID", "status", "date"])
        let product = try #require(schema.model(named: "Product"))
        #expect(product.associations.map(\.indexOrRelationName) == ["byProduct", nil])
        #expect(product.associations.map(\.fields) == [["id"], ["id"]])
    }

    // MARK: Relations

    @Test func `a one-to-one relation adds a foreign key to the model that declares @hasOne or @belongsTo`() throws {
        #expect(try fields("Project", in: "model-has-one").contains("projectTeamId: ID"))
        #expect(try model("Project", in: "model-has-one-fields").associations[0].fields == ["teamID"])
        #expect(try fields("Team", in: "model-belongs-to-one").contains("teamProjectId: ID"))
    }

    @Test func `a one-to-many relation adds a foreign key and its index to the target of @hasMany`() throws {
        let comment = try model("Comment", in: "model-has-many")
        #expect(comment.field(named: "postCommentsId") == FieldSchema("postCommentsId", .id))
        #expect(comment.indexes == [IndexSchema(name: "byPostComments", fields: ["postCommentsId"])])
        let both = try model("Comment", in: "model-belongs-to-many")
        #expect(both.associations.map(\.fields) == [["postCommentsId"]])
        #expect(both.fields.filter { $0.name.hasPrefix("post") }.count == 1)
        #expect(try model("Comment", in: "model-belongs-to-index").associations[0].fields == ["postID"])
        // If the schema declares a field with the implied name, that declaration counts.
        #expect(try fields("Comment", in: "subscribe-by-id").contains("postCommentsId: ID!"))
    }

    @Test func `a relation has one field for each field of a composite key`() throws {
        let project = try model("Project", in: "model-composite-belongs-to-one")
        #expect(project.associations.map(\.fields) == [["teamId", "teamName"]])
        let comment = try model("Comment", in: "model-composite-belongs-to-many")
        #expect(comment.associations.map(\.fields) == [["postId", "postTitle"]])
        let post = try model("Post", in: "model-composite-has-many")
        #expect(post.associations.map(\.fields) == [["postId", "title"]])
    }

    @Test func `each of several relations between two models has fields of its own`() throws {
        let schema = try Fixture.schema("model-two-relations")
        let address = try #require(schema.model(named: "Address"))
        #expect(address.associations.map(\.fields) == [["homeIndividualID"], ["shippingIndividualID"]])
        let individual = try #require(schema.model(named: "Individual"))
        #expect(
            individual.associations.map(\.fields) == [["individualHomeAddressId"], ["individualShippingAddressId"]])
    }

    @Test func `a many-to-many relation makes a model with two parents, their indexes and the rules of both`() throws {
        let schema = try Fixture.schema("auth-many-to-many")
        let join = try #require(schema.model(named: "PostTags"))
        #expect(join.fields.map(\.name) == ["id", "postId", "tagId", "createdAt", "updatedAt"])
        #expect(join.fields.filter(\.isRequired).map(\.name) == ["id", "postId", "tagId"])
        #expect(join.indexes.map(\.name) == ["byPost", "byTag"])
        #expect(join.indexes.map(\.queryField) == ["postTagsByPostId", "postTagsByTagId"])
        #expect(join.associations.map(\.target) == ["Post", "Tag"])
        #expect(join.directives == [#"@auth(rules: [{allow: owner}, {allow: groups, groups: ["admins"]}])"#])
        #expect(schema.models.map(\.name) == ["Post", "Tag", "PostTags"])
    }

    @Test func `references in the schema of an SQL database are keys on the other side of the relation`() throws {
        let schema = try Fixture.schema("sql-belongs-to")
        let blog = try #require(schema.model(named: "Blog"))
        #expect(blog.associations[0].fields == ["id"])
        let post = try #require(schema.model(named: "Post"))
        #expect(post.associations[0].fields == ["blogId"])
        #expect(post.field(named: "blogId")?.directives == [#"@refersTo(name: "blog_id")"#])
        let user = try model("User", in: "sql-has-one")
        #expect(user.associations[0].indexOrRelationName != nil)
    }

    // MARK: The rest

    @Test func `the default value of a scalar or enum field has the field's type`() throws {
        let model = try model("Defaults", in: "directive-default-scalars")
        #expect(model.field(named: "whole")?.defaultValue == .int(-7))
        #expect(model.field(named: "real")?.defaultValue == .double(2_500))
        #expect(model.field(named: "flag")?.defaultValue == .bool(true))
        #expect(model.field(named: "level")?.defaultValue == .string("LOW"))
        #expect(model.fields.filter { $0.defaultValue == nil }.map(\.name) == ["id", "createdAt", "updatedAt"])
    }

    @Test func `the global auth rule becomes the rule of each model that has none of its own`() throws {
        let sdl = """
            input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
            type A @model { a: Int }
            type B @model @auth(rules: [{ allow: owner }]) { b: Int }
            """
        let models = try Schema(sdl: sdl).models
        #expect(models.map(\.directives) == [["@auth(rules: [{allow: public}])"], ["@auth(rules: [{allow: owner}])"]])
        #expect(try model("Todo", in: "getting-started-global-auth").directives == ["@auth(rules: [{allow: public}])"])
    }

    @Test func `the arguments of @model that rename operations or switch them off are kept`() throws {
        #expect(
            try model("Todo", in: "model-renamed-query").directives == [#"@model(queries: {get: "queryFor"})"#])
        #expect(
            try model("Post", in: "legacy-model-operations").directives == [
                #"@model(queries: {get: "post"}, mutations: null, subscriptions: null)"#
            ])
        #expect(
            try model("Todo", in: "model-disabled-operations").directives == [
                "@model(queries: {get: null}, mutations: null, subscriptions: null)"
            ])
        #expect(try model("Todo", in: "model-subscription-level").directives == ["@model(subscriptions: {level: off})"])
    }

    @Test func `a list field keeps whether the list and its elements are required`() throws {
        let model = try model("ListStringContainer", in: "list-nullability")
        #expect(
            model.fields.dropFirst().prefix(4).map { "\($0.type.sdl)\($0.isRequired ? "!" : "")" } == [
                "[String!]!", "[String!]", "[String]!", "[String]",
            ])
    }

    @Test func `types that are no models become embedded types, with the fields of their extensions`() throws {
        let schema = try Fixture.schema("extended-type")
        #expect(schema.embeddedTypes.map { $0.fields.map(\FieldSchema.name) } == [["name", "latitude", "longitude"]])
        #expect(schema.enums.map(\EnumSchema.cases) == [["OPEN", "DONE"]])
        #expect(schema.models[0].field(named: "place")?.type == .embedded("Place"))
        #expect(try Fixture.schema("storage-picture").enums.map(\EnumSchema.cases) == [["public", "private"]])
    }

    @Test func `fields that a server computes are read-only`() throws {
        let sdl = #"type A @model { a: String! @function(name: "f") b: Int @http(url: "https://example.com") }"#
        let fields = try Schema(sdl: sdl).models[0].fields
        #expect(fields.filter(\.isReadOnly).map(\.name) == ["a", "b", "createdAt", "updatedAt"])
        #expect(fields.allSatisfy { !$0.isRequired || $0.name == "id" })
    }
}
