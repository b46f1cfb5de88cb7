import SeededNumbers

/// Schemas with random rules, and random requests to them.
struct RandomRules {
    var random: SeededGenerator

    init(_ seed: UInt64) { random = SeededGenerator(seed) }

    // MARK: Rules

    /// Two models with relations to each other.
    mutating func schema() -> String {
        """
        type Parent @model\(auth(once: 8)) {
          id: ID!
          title: String @index(name: "parentsByTitle", queryField: "parentsByTitle")\(fieldAuth())
          secret: String\(fieldAuth())
          owner: String
          author: String
          editors: [String]
          team: String
          teams: [String]
          children: [Child] @hasMany(indexName: "byParent", fields: ["id"])
        }
        type Child @model\(auth(once: 8)) {
          id: ID!
          parentId: ID @index(name: "byParent", sortKeyFields: ["title"], queryField: "childrenByParent")\(fieldAuth())
          title: String\(fieldAuth())
          secret: String
            @index(name: "bySecret", sortKeyFields: ["title"], queryField: "childrenBySecret")\(fieldAuth())
          owner: String
          author: String
          editors: [String]
          teams: [String]
          parent: Parent @belongsTo(fields: ["parentId"])
        }
        """
    }

    /// A directive with random rules. Once in `times` calls, on average, the text is empty.
    private mutating func auth(once times: Int) -> String {
        if random.once(in: times) { return "" }
        let rules = (0...1 + random.below(3)).map { _ in rule() }
        return " @auth(rules: [\(rules.joined(separator: ", "))])"
    }

    private mutating func fieldAuth() -> String { random.once(in: 3) ? auth(once: 1_000_000) : "" }

    private mutating func rule() -> String {
        var words: [String]
        switch random.below(9) {
        case 0...3:
            words = ["allow: owner"]
            let field = random.pick(["owner", "owner", "author", "editors"])
            if field != "owner" { words.append("ownerField: \"\(field)\"") }
            if random.once(in: 4) { words.append("provider: oidc") }
            if random.once(in: 4) {
                words.append(random.pick([#"identityClaim: "email""#, #"identityClaim: "user_id""#]))
            }
        case 4: words = ["allow: groups", random.pick([#"groups: ["Admins"]"#, #"groups: ["Staff", "None"]"#])]
        case 5: words = ["allow: groups", #"groupsField: "teams""#]
        case 6: words = ["allow: private"] + (random.once(in: 3) ? ["provider: oidc"] : [])
        case 7: words = ["allow: public"]
        default: words = ["allow: private", "provider: iam"]
        }
        if random.once(in: 3) {
            let operations = ["create", "update", "delete", "read", "read", "get", "list", "sync"]
            let chosen = Set((0...random.below(3)).map { _ in random.pick(operations) })
            words.append("operations: [\(chosen.sorted().joined(separator: ", "))]")
        }
        return "{\(words.joined(separator: ", "))}"
    }

    // MARK: Requests

    /// A random person. People with claims that the rules use are more likely.
    mutating func person() -> Person {
        random.once(in: 4) ? random.pick(Person.all) : random.pick([.ann, .ann, .bob, .cyd, .dan, .eve])
    }

    private static let fields = ["id", "title", "secret", "owner", "author", "editors", "teams"]

    /// A query, and the operations whose rules may allow the person to read its fields.
    mutating func query() -> (text: String, operations: [String]) {
        let (text, operation) = field(depth: 0)
        return ("{ \(text) }", [operation, "get", "list"])
    }

    private mutating func field(depth: Int) -> (text: String, operation: String) {
        let isParent = random.once(in: 2)
        let model = isParent ? "Parent" : "Child"
        let selection = selection(isParent, depth: 2)
        switch random.below(5) {
        case 0: return ("a: get\(model)(id: \"canary-\(model)-\(random.below(13))-id\") { \(selection) }", "get")
        case 1:
            return ("sync\(isParent ? "Parents" : "Children")\(page("")) { items { \(selection) } nextToken }", "sync")
        case 2:
            let title = "title: \"canary-Parent-\(random.below(12))-title\""
            return ("b: parentsByTitle\(page(title)) { items { \(self.selection(true, depth: 2)) } nextToken }", "list")
        case 3:
            let key =
                random.once(in: 2)
                ? "parentId: \"canary-Parent-\(random.below(7))-id\""
                : "secret: \"canary-Child-\(random.below(12))-secret\""
            let condition =
                random.once(in: 2) ? ", title: {\(random.pick(["ge", "lt", "beginsWith"])): \"\(guess())\"}" : ""
            let name = key.hasPrefix("parent") ? "childrenByParent" : "childrenBySecret"
            return (
                "\(name)\(page(key + condition)) { items { \(self.selection(false, depth: 2)) } nextToken }", "list"
            )
        default:
            return ("list\(isParent ? "Parents" : "Children")\(page("")) { items { \(selection) } nextToken }", "list")
        }
    }

    private mutating func selection(_ isParent: Bool, depth: Int) -> String {
        var names = Self.fields.filter { _ in !random.once(in: 3) } + ["__typename", "_version"]
        if random.once(in: 3) { names.append("again: secret ... on \(isParent ? "Parent" : "Child") { more: title }") }
        if depth > 0, random.once(in: 2) {
            let below = selection(!isParent, depth: depth - 1)
            names.append(isParent ? "children\(page("")) { items { \(below) } nextToken }" : "parent { \(below) }")
        }
        return names.joined(separator: " ")
    }

    private mutating func page(_ first: String) -> String {
        var arguments = first.isEmpty ? [] : [first]
        if !random.once(in: 3) { arguments.append("limit: \(1 + random.below(4))") }
        if random.once(in: 2) { arguments.append("filter: \(filter(depth: 2))") }
        return arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    }

    mutating func filter(depth: Int) -> String {
        if depth > 0, random.once(in: 3) {
            switch random.below(3) {
            case 0: return "{and: [\(filter(depth: depth - 1)), \(filter(depth: depth - 1))]}"
            case 1: return "{or: [\(filter(depth: depth - 1)), \(filter(depth: depth - 1))]}"
            default: return "{not: \(filter(depth: depth - 1))}"
            }
        }
        let test = random.pick([
            "beginsWith: \"\(guess())\"", "ge: \"\(guess())\"", "le: \"\(guess())\"", "contains: \"-1\"",
            "attributeExists: true", "size: {gt: 20}", "ne: \"\(guess())\"", "eq: \"\(guess())\"",
        ])
        return "{\(random.pick(["title", "secret", "author", "title", "secret"])): {\(test)}}"
    }

    private mutating func guess() -> String {
        random.pick([
            "canary-Child-\(random.below(12))", "canary-Parent-\(random.below(12))-title", "c", "other", "canary",
        ])
    }

    /// An update or a deletion that does not set a field that the rules read, such as `owner`.
    mutating func quietChange() -> String {
        let model = random.pick(["Parent", "Child"])
        let id = "id: \"canary-\(model)-\(random.below(13))-id\""
        let version = random.once(in: 3) ? "" : ", _version: \(1 + random.below(3))"
        let condition = random.once(in: 2) ? ", condition: \(filter(depth: 1))" : ""
        let selection = selection(model == "Parent", depth: 1)
        if random.once(in: 5) {
            return "mutation { delete\(model)(input: {\(id)\(version)}\(condition)) { \(selection) } }"
        }
        let values = random.pick([", title: \"x\"", ", secret: \"y\"", ", title: \"x\", secret: null", ""])
        return "mutation { update\(model)(input: {\(id)\(values)\(version)}\(condition)) { \(selection) } }"
    }

    /// A random change. It may also set the fields that the rules read.
    mutating func change() -> String {
        if random.once(in: 2) { return quietChange() }
        let model = random.pick(["Parent", "Child"])
        let owners = ["canary-ann-s", "canary-bob-s::canary-bob-u", "canary-dan-s", "canary-eve-i", ""]
        var values: [String] = []
        if random.once(in: 2) { values.append("owner: \"\(random.pick(owners))\"") }
        if random.once(in: 3) { values.append("author: \"\(random.pick(owners))\"") }
        if random.once(in: 3) { values.append("editors: [\"\(random.pick(owners))\", \"\(random.pick(owners))\"]") }
        if random.once(in: 3) { values.append("teams: [\"\(random.pick(["Admins", "Staff"]))\"]") }
        if random.once(in: 2) { values.append("secret: \"z\"") }
        let isUpdate = random.once(in: 2)
        if isUpdate || random.once(in: 3) { values.append("id: \"canary-\(model)-\(random.below(13))-id\"") }
        if isUpdate { values.append("_version: \(1 + random.below(3))") }
        return "mutation { \(isUpdate ? "update" : "create")\(model)(input: {\(values.joined(separator: ", "))}) "
            + "{ \(selection(model == "Parent", depth: 1)) } }"
    }
}
