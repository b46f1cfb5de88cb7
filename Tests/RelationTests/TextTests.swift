import Testing
import Tidelog

@Suite("Predicates on related records as text") struct TextTests {
    @Test(
        "a predicate on a related record has a readable text, and parsing the text gives the same predicate",
        arguments: [
            (Comment.keys.post.title == "x", #"post.title == "x""#),
            (Comment.keys.post.title != "x", #"!(post.title == "x")"#),
            (Comment.keys.post.title == nil, "!(post.title != nil)"),
            (Comment.keys.post.title != nil, "post.title != nil"),
            (Comment.keys.post.rating.between(1, 2), "post.rating.between(1, 2)"),
            (Comment.keys.post.title.notContains("x"), #"!post.title.contains("x")"#),
            (Comment.keys.post.exists(), "post.any(true)"),
            (Comment.keys.post.exists(false), "!post.any(true)"),
            (Comment.keys.post.any(Post.keys.title != "x"), #"post.any(title != "x")"#),
            (
                Comment.keys.post.any(Post.keys.title == "x" || Post.keys.year > 1) && Comment.keys.place > 0,
                #"post.any(title == "x" || year > 1) && place > 0"#
            ),
            (ModelPredicate(.related("any", .field("contains", .equal(1)))), "any.contains == 1"),
            (ModelPredicate(.related("my post", .field("any", .contains(1)))), "`my post`.any.contains(1)"),
        ] as [(ModelPredicate<Comment>, String)])
    func text(predicate: ModelPredicate<Comment>, text: String) throws {
        #expect(predicate.queryPredicate.text == text)
        #expect(try ModelPredicate(QueryPredicate(parsing: text)) == predicate)
    }

    @Test("other notations of a predicate on a related record are parsed too") func reading() throws {
        let title = Comment.keys.post.title
        #expect(try comments(#"post . title != "x""#) == (title != "x"))
        #expect(try comments("post.title == nil") == (title == nil))
        #expect(try comments(#"post.title.notContains("x")"#) == title.notContains("x"))
        #expect(try comments(#"post.any(title == "x")"#) == (title == "x"))
        #expect(try comments(#"!post.`title`.beginsWith("x")"#) == !title.beginsWith("x"))
        #expect(try comments(#"post.title.in(["x", "y"])"#) == title.in(["x", "y"]))
    }

    private func comments(_ text: String) throws -> ModelPredicate<Comment> {
        ModelPredicate(try QueryPredicate(parsing: text))
    }

    @Test(
        "an invalid text is refused with the column of the error",
        arguments: [
            ("post.", 6), ("post.title", 11), ("post.title.foo(1)", 12), ("post.any(", 10), ("post.any()", 10),
            ("!post.title == 1", 2), ("post.title.`any`(1)", 17),
        ])
    func refusal(text: String, column: Int) {
        let error = #expect(throws: PredicateSyntaxError.self) { try QueryPredicate(parsing: text) }
        #expect(error?.column == column, "\(error?.description ?? "")")
    }

    @Test("a field of a related record may have the name of a property of the relation") func names() {
        let predicate = Post.keys.tags.name == "x"
        #expect(predicate.queryPredicate == .related("tags", .field("name", .equal("x"))))
    }
}
