import Tidelog

/// A predicate, and its meaning for plain values.
struct Condition<Value: Model> {
    let predicate: ModelPredicate<Value>
    let holds: (Value, World) -> Bool

    init(_ predicate: ModelPredicate<Value>, _ holds: @escaping (Value, World) -> Bool) {
        self.predicate = predicate
        self.holds = holds
    }

    /// One of `choices`, or a random combination of them.
    static func random(_ choices: [Condition], _ dice: inout Dice, depth: Int = 0) -> Condition {
        switch dice.roll(depth > 2 ? 1 : 5) {
        case 1:
            let members = (0..<dice.roll(4)).map { _ in random(choices, &dice, depth: depth + 1) }
            return Condition(.and(members.map(\.predicate))) { value, world in
                members.allSatisfy { $0.holds(value, world) }
            }
        case 2:
            let members = (0..<dice.roll(4)).map { _ in random(choices, &dice, depth: depth + 1) }
            return Condition(.or(members.map(\.predicate))) { value, world in
                members.contains { $0.holds(value, world) }
            }
        case 3:
            let member = random(choices, &dice, depth: depth + 1)
            return Condition(!member.predicate) { !member.holds($0, $1) }
        default: return choices[dice.roll(choices.count)]
        }
    }
}

extension Condition<Comment> {
    static var choices: [Condition] {
        let post = Comment.keys.post
        return [
            Condition(Comment.keys.place >= 2) { comment, _ in comment.place >= 2 },
            Condition(Comment.keys.content == "x") { comment, _ in comment.content == "x" },
            Condition(post.title == "x") { $1.post(of: $0)?.title == "x" },
            Condition(post.title != "x") { $1.post(of: $0)?.title != "x" },
            Condition(post.title == nil) { $1.post(of: $0)?.title == nil },
            Condition(post.title != nil) { $1.post(of: $0)?.title != nil },
            Condition(post.slug == "s1") { $1.post(of: $0)?.slug == "s1" },
            Condition(post.rating > 1) { comment, world in world.post(of: comment)?.rating.map { $0 > 1 } ?? false },
            Condition(post.rating <= 1) { comment, world in
                world.post(of: comment)?.rating.map { $0 <= 1 } ?? false
            },
            Condition(post.title.notContains("y")) { comment, world in
                !(world.post(of: comment)?.title?.contains("y") ?? false)
            },
            Condition(post.exists()) { $1.post(of: $0) != nil },
            Condition(post.any(Post.keys.title == "x" || Post.keys.year == 1)) { comment, world in
                world.post(of: comment).map { $0.title == "x" || $0.year == 1 } ?? false
            },
            Condition(post.any(Post.keys.title != "x")) { comment, world in
                world.post(of: comment).map { $0.title != "x" } ?? false
            },
        ]
    }
}

extension Condition<Post> {
    static var choices: [Condition] {
        let keys = Post.keys
        return [
            Condition(keys.rating > 1) { post, _ in post.rating.map { $0 > 1 } ?? false },
            Condition(keys.comments.content == "x") { post, world in
                world.comments(of: post).contains { $0.content == "x" }
            },
            Condition(keys.comments.content != "x") { post, world in
                !world.comments(of: post).contains { $0.content == "x" }
            },
            Condition(keys.comments.place < 3) { post, world in world.comments(of: post).contains { $0.place < 3 } },
            Condition(keys.comments.exists(false)) { post, world in world.comments(of: post).isEmpty },
            Condition(keys.author.name.beginsWith("x")) { post, world in
                world.author(of: post)?.name.hasPrefix("x") ?? false
            },
            Condition(keys.author.name == "y") { $1.author(of: $0)?.name == "y" },
            Condition(keys.tags.name == "x") { post, world in world.tags(of: post).contains { $0.name == "x" } },
            Condition(keys.tags.name != "x") { post, world in !world.tags(of: post).contains { $0.name == "x" } },
            Condition(keys.tags.exists()) { post, world in !world.tags(of: post).isEmpty },
            Condition(ModelPredicate(.related("tags", .field("id", .equal("t1"))))) { post, world in
                world.tags(of: post).contains { $0.id == "t1" }
            },
        ]
    }
}

extension Condition<Category> {
    static var choices: [Condition] {
        let keys = Category.keys
        return [
            Condition(keys.parent.id == "g1") { $1.parent(of: $0)?.id == "g1" },
            Condition(keys.parent.exists()) { $1.parent(of: $0) != nil },
            Condition(keys.children.id > "g2") { category, world in
                world.children(of: category).contains { $0.id > "g2" }
            },
            Condition(keys.children.exists(false)) { category, world in world.children(of: category).isEmpty },
        ]
    }
}
