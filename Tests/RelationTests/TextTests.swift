import Testing
import Tidelog

@Suite("Predicates on related records as text") struct TextTests {
    @Test(
        "the text says what is meant, and reads back",
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
            (.related("any", .field("contains", .equal(1))), "any.contains == 1"),
            (.related("my post", .field("any", .contains(1))), "`my post`.any.contains(1)"),
        ] as [(Predicate, String)])
    func text(predicate: Predicate, text: String) throws {
        #expect(predicate.text == text)
        #expect(try Predicate(parsing: text) == predicate)
    }

    @Test("other ways to write them are understood") func reading() throws {
        #expect(try Predicate(parsing: #"post . title != "x""#) == (Comment.keys.post.title != "x"))
        #expect(try Predicate(parsing: "post.title == nil") == (Comment.keys.post.title == nil))
        #expect(try Predicate(parsing: #"post.title.notContains("x")"#) == Comment.keys.post.title.notContains("x"))
        #expect(try Predicate(parsing: #"post.any(title == "x")"#) == (Comment.keys.post.title == "x"))
        #expect(try Predicate(parsing: #"!post.`title`.beginsWith("x")"#) == !Comment.keys.post.title.beginsWith("x"))
    }

    @Test(
        "what is no predicate is refused where it stops being one",
        arguments: [
            ("post.", 6), ("post.title", 11), ("post.title.foo(1)", 12), ("post.any(", 10), ("post.any()", 10),
            ("!post.title == 1", 2), ("post.title.`any`(1)", 12), ("a.b.c == 1", 5),
        ])
    func refusal(text: String, column: Int) {
        let error = #expect(throws: PredicateSyntaxError.self) { try Predicate(parsing: text) }
        #expect(error?.column == column, "\(error?.description ?? "")")
    }

    @Test("a related record's field may be called as its relation's own properties are") func names() {
        let predicate: Predicate = Post.keys.tags.name == "x"
        #expect(predicate == .related("tags", .field("name", .equal("x"))))
    }
}
