import Tidelog

/// Pseudo-random numbers that are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `count` - 1.
    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// A blog in plain arrays, with which tests compare a store. Some references have no target.
struct World {
    var authors: [Author] = []
    var profiles: [Profile] = []
    var posts: [Post] = []
    var comments: [Comment] = []
    var tags: [Tag] = []
    var joins: [PostTags] = []
    var categories: [Category] = []

    /// - Parameter size: The largest number of records of a model.
    init(_ dice: inout Dice, size: Int) {
        let words = ["x", "y", "xy"]
        for number in 0..<dice.roll(size / 4 + 1) {
            authors.append(Author(id: "a\(number)", name: words[dice.roll(3)]))
        }
        let author: (inout Dice) -> String? = { dice in dice.roll(4) == 0 ? nil : "a\(dice.roll(size / 4 + 2))" }
        for number in 0..<dice.roll(size / 4 + 1) {
            let owner = author(&dice)
            // The relation is one to one, so an author has at most one profile.
            let isFree = owner == nil || !profiles.contains { $0.authorID == owner }
            profiles.append(Profile(id: "p\(number)", text: words[dice.roll(3)], authorID: isFree ? owner : nil))
        }
        for number in 0..<dice.roll(size + 1) {
            posts.append(
                Post(
                    "s\(number / 2)", number % 2, title: dice.roll(4) == 0 ? nil : words[dice.roll(3)],
                    rating: dice.roll(4) == 0 ? nil : dice.roll(4), authorID: author(&dice)))
        }
        let post: (inout Dice) -> (slug: String, year: Int) = { dice in
            let number = dice.roll(size + 1)
            return ("s\(number / 2)", number % 2)
        }
        for number in 0..<dice.roll(size + 1) {
            comments.append(
                Comment(
                    id: "c\(number)", content: dice.roll(4) == 0 ? nil : words[dice.roll(3)], place: dice.roll(4),
                    post: dice.roll(5) == 0 ? nil : post(&dice)))
        }
        for number in 0..<dice.roll(size / 2 + 1) { tags.append(Tag(id: "t\(number)", name: words[dice.roll(3)])) }
        for number in 0..<dice.roll(size + 1) {
            joins.append(PostTags(id: "j\(number)", post: post(&dice), tagID: "t\(dice.roll(size / 2 + 2))"))
        }
        for number in 0..<dice.roll(size + 1) {
            // Any category may be the parent of any category, so that there are circles.
            categories.append(
                Category(id: "g\(number)", parentID: dice.roll(4) == 0 ? nil : "g\(dice.roll(size + 2))"))
        }
    }

    func save(in store: DataStore) async throws {
        try await store.write(requireParents: false) { transaction in
            try transaction.save(authors)
            try transaction.save(profiles)
            try transaction.save(posts)
            try transaction.save(comments)
            try transaction.save(tags)
            try transaction.save(joins)
            try transaction.save(categories)
        }
    }

    func post(of comment: Comment) -> Post? {
        posts.first { $0.slug == comment.postSlug && $0.year == comment.postYear }
    }
    func comments(of post: Post) -> [Comment] {
        comments.filter { $0.postSlug == post.slug && $0.postYear == post.year }
    }
    func author(of post: Post) -> Author? { authors.first { $0.id == post.authorID } }
    func posts(of author: Author) -> [Post] { posts.filter { $0.authorID == author.id } }
    func profile(of author: Author) -> Profile? {
        profiles.filter { $0.authorID == author.id }.min { $0.id < $1.id }
    }
    func tags(of post: Post) -> [Tag] {
        let ids = Set(joins.filter { $0.postSlug == post.slug && $0.postYear == post.year }.map(\.tagID))
        return tags.filter { ids.contains($0.id) }.sorted { $0.id < $1.id }
    }
    func posts(of tag: Tag) -> [Post] {
        posts.filter { post in tags(of: post).contains { $0.id == tag.id } }
    }
    func parent(of category: Category) -> Category? { categories.first { $0.id == category.parentID } }
    func children(of category: Category) -> [Category] { categories.filter { $0.parentID == category.id } }
}
