@_spi(Adapters) internal import TidelogCore

/// Predicates on related records, as Core evaluates them with an adapter's reader.
///
/// Core looks up records while other rows are in use. There are more records than Core turns
/// into equalities, so that the related records of each row are looked up.
enum RelatedCases {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Person",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string)],
            associations: [
                Association(
                    name: "tags", kind: .hasMany, target: "Tag", fields: ["id"], indexOrRelationName: "byOwner")
            ]),
        ModelSchema(
            name: "Tag",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int), FieldSchema("ownerID", .id),
            ],
            indexes: [IndexSchema(name: "byOwner", fields: ["ownerID", "rank"])],
            associations: [
                Association(name: "owner", kind: .belongsTo, target: "Person", fields: ["ownerID"]),
                Association(name: "posts", kind: .manyToMany, target: "Post", indexOrRelationName: "PostTags"),
            ]),
        ModelSchema(
            name: "Post",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string)],
            associations: [
                Association(name: "tags", kind: .manyToMany, target: "Tag", indexOrRelationName: "PostTags")
            ]),
        ModelSchema(
            name: "PostTags",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("postID", .id, isRequired: true),
                FieldSchema("tagID", .id, isRequired: true),
            ],
            indexes: [IndexSchema(name: "byPost", fields: ["postID"]), IndexSchema(name: "byTag", fields: ["tagID"])],
            associations: [
                Association(name: "post", kind: .belongsTo, target: "Post", fields: ["postID"]),
                Association(name: "tag", kind: .belongsTo, target: "Tag", fields: ["tagID"]),
            ]),
    ])

    private static let tagCount = 240

    /// One of `count` ids. The order of the ids differs from the order in which they are made.
    private static func id(_ prefix: String, _ number: Int, _ count: Int) -> String {
        "\(prefix)\(1_000 + number * 7 % count)"
    }

    /// The facts about a tag. Its owner is the person with the same number.
    ///
    /// Every third owner is called "y", and every tenth owner does not exist.
    private struct Tag {
        let number: Int
        let id: String
        let rank: Int
        let owner: String?

        init(_ number: Int) {
            self.number = number
            id = RelatedCases.id("t", number, tagCount)
            rank = number * 11 % 17
            owner = number % 10 == 9 ? nil : number % 3 == 2 ? "y" : "x"
        }

        var isInHalf: Bool { number % 2 == 0 }
        /// Whether the owner's name is exactly "x".
        var hasPlainOwner: Bool { owner == "x" && number % 5 == 0 }
    }

    private static let tags = (0..<tagCount).map(Tag.init).sorted { $0.id < $1.id }

    /// Saves two posts: "all" has every tag, and "half" has every second tag.
    private static func save(to subject: Subject) throws {
        var records = ["all", "half"].map { Record(model: "Post", values: ["id": .string($0), "title": .string($0)]) }
        for number in 0..<tagCount {
            let tag = Tag(number)
            let person = id("p", number, tagCount)
            records.append(
                Record(
                    model: "Tag",
                    values: ["id": .string(tag.id), "rank": .int(Int64(tag.rank)), "ownerID": .string(person)]))
            if let owner = tag.owner {
                // The names have many lengths, so that no row fits the place of another.
                let name = owner + String(repeating: "-", count: number % 5)
                records.append(Record(model: "Person", values: ["id": .string(person), "name": .string(name)]))
            }
            for post in ["all", "half"] where post == "all" || tag.isInHalf {
                records.append(
                    Record(
                        model: "PostTags",
                        values: [
                            "id": .string("\(post)\(number)"), "postID": .string(post), "tagID": .string(tag.id),
                        ]))
            }
        }
        try subject.save(records)
    }

    private static func owner(_ name: String) -> QueryPredicate { .related("owner", .field("name", .beginsWith(name))) }

    /// Predicates on tags, each with a function that computes the same.
    private static let conditions: [(name: String, predicate: QueryPredicate, holds: @Sendable (Tag) -> Bool)] = [
        ("the owner's name", owner("x"), { $0.owner == "x" }),
        ("no owner of the name", .not(owner("x")), { $0.owner != "x" }),
        (
            "the owner's name and a rank", .and([owner("x"), .field("rank", .less(9))]),
            { $0.owner == "x" && $0.rank < 9 }
        ),
        (
            "a rank or the owner's name", .or([.field("rank", .less(4)), owner("y")]),
            { $0.rank < 4 || $0.owner == "y" }
        ),
        ("two facts of the owner", .and([owner("x"), .not(owner("x-"))]), { $0.hasPlainOwner }),
        ("the owner exists", .related("owner", .all), { $0.owner != nil }),
        ("no owner exists", .not(.related("owner", .all)), { $0.owner == nil }),
    ]

    private static let sorts: [(name: String, sort: Sort?, precedes: @Sendable (Tag, Tag) -> Bool)] = [
        ("by key", nil, { $0.id < $1.id }),
        ("by rank", Sort([.init("rank")]), { ($0.rank, $0.id) < ($1.rank, $1.id) }),
        ("by rank, descending", Sort([.init("rank", isDescending: true)]), { (-$0.rank, $0.id) < (-$1.rank, $1.id) }),
    ]

    private static let pages: [Page] = [.all, .first(7), Page(offset: 5, limit: 20), Page(offset: 30)]

    static let all: [ConformanceCase] =
        conditions.map { condition in
            ConformanceCase("related-predicates", "related: \(condition.name), of all tags", on: schema) { subject in
                try save(to: subject)
                try subject.readBoth { scope in
                    try check(condition.holds, tags) { sort, page in
                        try scope.tags(where: condition.predicate, sort: sort ?? .byKey, page: page)
                    }
                    try expect(
                        try scope.related.count(try scope.model("Tag"), where: condition.predicate),
                        tags.count(where: condition.holds), "The count.")
                }
            }
        }
        + conditions.map { condition in
            ConformanceCase(
                "related-predicates", "related: \(condition.name), through a join, sorted and in pages", on: schema
            ) { subject in
                try save(to: subject)
                try subject.readBoth { scope in
                    for post in ["all", "half"] {
                        let joined = tags.filter { post == "all" || $0.isInHalf }
                        try check(condition.holds, joined) { sort, page in
                            try scope.tags(of: post, where: condition.predicate, sort: sort, page: page)
                        }
                    }
                }
            }
        } + [
            ConformanceCase(
                "related-predicates",
                "related: one record by a reference, where a predicate on its own relations holds",
                on: schema
            ) { subject in
                try save(to: subject)
                try subject.readBoth { scope in
                    for rank in [3, 9, 16] {
                        let predicate = QueryPredicate.related("tags", .field("rank", .lessOrEqual(.int(Int64(rank)))))
                        let expected = tags.filter { $0.owner != nil && $0.rank <= rank }.map(\.id)
                        try expect(try scope.tagsWithOwner(where: predicate), expected, "By each tag's owner.")
                    }
                }
            }
        ]

    /// Compares the results of `answer` with the tags in `all` for which `holds` returns true, in every order and page.
    private static func check(
        _ holds: (Tag) -> Bool, _ all: [Tag], _ answer: (Sort?, Page) throws -> [String]
    ) throws {
        for order in sorts {
            let expected = all.filter(holds).sorted(by: order.precedes).map(\.id)
            for page in pages {
                try expect(
                    try answer(order.sort, page), Array(expected.dropFirst(page.offset).prefix(page.limit ?? .max)),
                    "Tags \(order.name), offset \(page.offset), limit \(page.limit.map { "\($0)" } ?? "none").")
            }
        }
    }
}

extension ReadScope {
    fileprivate var related: RelatedReader { RelatedReader(reader, layout: schema) }

    /// The ids of the tags that match `predicate`.
    fileprivate func tags(where predicate: QueryPredicate, sort: Sort, page: Page) throws -> [String] {
        let model = try model("Tag")
        var ids: [String] = []
        try related.fetch(model, where: predicate, sort: sort, page: page) { row in
            ids.append(try Record(row.row, layout: model).id)
            return true
        }
        return ids
    }

    /// The ids of the tags of a post that match `predicate`.
    fileprivate func tags(of post: String, where predicate: QueryPredicate, sort: Sort?, page: Page) throws -> [String]
    {
        let posts = try model("Post")
        let tags = try model("Tag")
        var ids: [String] = []
        try reader.fetch(try query("Post", where: .field("id", .equal(.string(post))))) { row in
            try related.forEach("tags", of: row.row, in: posts, where: predicate, sort: sort, page: page) { row in
                ids.append(try Record(row.row, layout: tags).id)
                return true
            }
            return true
        }
        return ids
    }

    /// The ids of the tags whose owner exists and satisfies `predicate`.
    fileprivate func tagsWithOwner(where predicate: QueryPredicate) throws -> [String] {
        let tags = try model("Tag")
        let people = try model("Person")
        var ids: [String] = []
        try reader.fetch(try query("Tag")) { row in
            let tag = try Record(row.row, layout: tags)
            try related.forEach("owner", of: row.row, in: tags, where: predicate) { row in
                try expect(
                    tag["ownerID"], .string(try Record(row.row, layout: people).id), "The owner that the tag names.")
                ids.append(tag.id)
                return true
            }
            return true
        }
        return ids
    }
}
