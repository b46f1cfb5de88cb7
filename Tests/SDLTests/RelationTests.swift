import Testing
import TidelogSDL
import TidelogSchema

@Suite struct RelationTests {
    @Test func `@hasMany without fields adds the model's key to its target, as an optional, indexed field`() throws {
        let schema = try Schema(
            sdl: """
                type Post @model { title: String! comments: [Comment] @hasMany(limit: 20) }
                type Comment @model { content: String post: Post! @belongsTo }
                """)
        #expect(
            try model("Post", schema).associations == [
                Association(
                    name: "comments", kind: .hasMany, target: "Comment", fields: ["id"],
                    indexOrRelationName: "byPostComments", limit: 20)
            ])
        let comment = try model("Comment", schema)
        #expect(comment.fields.map(\.name) == ["id", "content", "postCommentsId", "createdAt", "updatedAt"])
        #expect(comment.field(named: "postCommentsId") == FieldSchema("postCommentsId", .id))
        #expect(comment.indexes == [IndexSchema(name: "byPostComments", fields: ["postCommentsId"])])
        #expect(
            comment.associations == [
                Association(
                    name: "post", kind: .belongsTo, target: "Post", fields: ["postCommentsId"], isRequired: true)
            ])
    }

    @Test func `a relation keeps the directives and the description of its field`() throws {
        let schema = try Schema(
            sdl: """
                type Post @model {
                  "What people say." comments: [Comment] @hasMany @auth(rules: [{allow: owner, ownerField: "by"}])
                }
                type Comment @model { post: Post @belongsTo @deprecated(reason: "old") }
                """)
        let comments = try model("Post", schema).associations[0]
        #expect(comments.directives == [#"@auth(rules: [{allow: owner, ownerField: "by"}])"#])
        #expect(comments.documentation == "What people say.")
        #expect(try model("Comment", schema).associations[0].directives == [#"@deprecated(reason: "old")"#])
        #expect(try Schema(sdl: schema.sdl) == schema)
    }

    @Test func `a relation to a composite key adds one field for each part of the key`() throws {
        let schema = try Schema(
            sdl: """
                type Post @model {
                  slug: String! @primaryKey(sortKeyFields: ["year"])
                  year: Int!
                  comments: [Comment] @hasMany
                }
                type Comment @model { post: Post @belongsTo }
                """)
        #expect(try model("Post", schema).primaryKey == ["slug", "year"])
        let comment = try model("Comment", schema)
        #expect(comment.field(named: "postCommentsSlug")?.type == .string)
        #expect(comment.field(named: "postCommentsYear")?.type == .int)
        #expect(comment.associations[0].fields == ["postCommentsSlug", "postCommentsYear"])
        #expect(comment.indexes[0].fields == ["postCommentsSlug", "postCommentsYear"])
    }

    @Test func `@hasOne without fields adds the target's key to the model that declares the relation`() throws {
        let schema = try Schema(
            sdl: """
                type Project @model { team: Team! @hasOne }
                type Team @model { teamId: ID! @primaryKey project: Project @belongsTo }
                """)
        let project = try model("Project", schema)
        #expect(project.field(named: "projectTeamTeamId") == FieldSchema("projectTeamTeamId", .id, isRequired: true))
        #expect(
            project.associations == [
                Association(
                    name: "team", kind: .hasOne, target: "Team", fields: ["projectTeamTeamId"], isRequired: true)
            ])
        let team = try model("Team", schema)
        #expect(team.field(named: "teamProjectId") == FieldSchema("teamProjectId", .id))
        #expect(team.associations[0].fields == ["teamProjectId"])
        #expect(team.indexes == [IndexSchema(name: "byProject", fields: ["teamProjectId"])])
    }

    @Test func `the reference of a one-to-one relation gets an index unless an index or key begins with it`() throws {
        let schema = try Schema(
            sdl: """
                type Owner @model { one: One @hasOne two: Two @hasOne three: Three @hasOne four: Four @hasOne }
                type One @model { n: Int @index(name: "byOwner") owner: Owner @belongsTo }
                type Two @model { ownerId: ID @index(name: "x", sortKeyFields: ["n"]) n: Int
                  owner: Owner @belongsTo(fields: ["ownerId"]) }
                type Three @model { ownerId: ID! @primaryKey(sortKeyFields: ["n"]) n: Int!
                  owner: Owner @belongsTo(fields: ["ownerId"]) }
                type Four @model { owner: Owner @belongsTo }
                """)
        #expect(try model("One", schema).indexes.map(\.name) == ["byOwner", "byOwner2"])
        #expect(try model("Two", schema).indexes.map(\.name) == ["x"])
        #expect(try model("Three", schema).indexes.isEmpty)
        #expect(try model("Four", schema).indexes == [IndexSchema(name: "byOwner", fields: ["fourOwnerId"])])
        #expect(try Schema(sdl: schema.sdl) == schema)
    }

    @Test func `references name the fields on the side that holds the key`() throws {
        let schema = try Schema(
            sdl: """
                type Author @model {
                  books: [Book] @hasMany(references: ["authorId"])
                  profile: Profile @hasOne(references: ["authorId"])
                }
                type Book @model { authorId: ID author: Author @belongsTo(references: ["authorId"]) }
                type Profile @model {
                  authorId: ID @index(name: "byAuthor", sortKeyFields: ["age"])
                  age: Int
                  author: Author @belongsTo(references: "authorId")
                }
                """)
        let author = try model("Author", schema)
        #expect(author.associations[0].indexOrRelationName == "byAuthorBooks")
        #expect(author.associations[0].fields == ["id"])
        #expect(author.associations[1].indexOrRelationName == "byAuthor")
        #expect(try model("Book", schema).indexes == [IndexSchema(name: "byAuthorBooks", fields: ["authorId"])])
        #expect(try model("Book", schema).associations[0].fields == ["authorId"])
        #expect(try model("Profile", schema).associations[0].fields == ["authorId"])
        #expect(schema.sdl.contains(#"profile: Profile @hasOne(references: ["authorId"])"#))
    }

    @Test func `a model may refer to itself`() throws {
        let schema = try Schema(
            sdl: """
                type Category @model { children: [Category] @hasMany parent: Category @belongsTo }
                """)
        let category = try model("Category", schema)
        #expect(category.associations[1].fields == ["categoryChildrenId"])
    }

    @Test func `if two models have several relations, each @belongsTo takes a different one`() throws {
        let schema = try Schema(
            sdl: """
                type Person @model { sent: [Letter] @hasMany received: [Letter] @hasMany }
                type Letter @model { sender: Person @belongsTo receiver: Person @belongsTo }
                """)
        let letter = try model("Letter", schema)
        #expect(letter.associations.map(\.fields) == [["personSentId"], ["personReceivedId"]])
    }

    @Test func `@manyToMany makes a model that belongs to both sides and has an index for each side`() throws {
        let schema = try Schema(
            sdl: """
                type Post @model @auth(rules: [{allow: owner}]) { tags: [Tag] @manyToMany(relationName: "postTags") }
                type Tag @model { label: String! @primaryKey(sortKeyFields: ["lang"]) lang: String!
                  posts: [Post] @manyToMany(relationName: "PostTags", limit: 5) }
                """)
        let join = try model("PostTags", schema)
        #expect(
            join
                == ModelSchema(
                    name: "PostTags",
                    fields: [
                        FieldSchema("id", .id, isRequired: true),
                        FieldSchema("postId", .id, isRequired: true),
                        FieldSchema("tagLabel", .string, isRequired: true),
                        FieldSchema("taglang", .string, isRequired: true),
                    ] + WorldSchemaTests.timestamps,
                    indexes: [
                        IndexSchema(name: "byPost", fields: ["postId"], queryField: "postTagsByPostId"),
                        IndexSchema(
                            name: "byTag", fields: ["tagLabel", "taglang"],
                            queryField: "postTagsByTagLabelAndTaglang"),
                    ],
                    associations: [
                        Association(
                            name: "post", kind: .belongsTo, target: "Post", fields: ["postId"], isRequired: true),
                        Association(
                            name: "tag", kind: .belongsTo, target: "Tag", fields: ["tagLabel", "taglang"],
                            isRequired: true),
                    ], directives: ["@auth(rules: [{allow: owner}])"]))
        #expect(
            try model("Tag", schema).associations == [
                Association(
                    name: "posts", kind: .manyToMany, target: "Post", indexOrRelationName: "PostTags", limit: 5)
            ])
        #expect(!schema.sdl.contains("type PostTags"))
    }

    private func model(_ name: String, _ schema: Schema) throws -> ModelSchema {
        try #require(schema.model(named: name))
    }
}
