import SeededNumbers

/// Makes schemas with every kind of type. The types share names of fields, so that documents have conflicts.
struct SchemaGenerator {
    private var random: SeededGenerator
    private static let enums = ["Colour", "Size"]
    private static let inputs = ["Range", "Filter", "Choice"]
    private static let leaves = ["Int", "Float", "String", "Boolean", "ID", "Colour", "Size", "Anything"]
    private static let objects = ["Ant", "Bee", "Cat", "Dog"]
    private static let interfaces = ["Named", "Aged"]
    private static let unions = ["Pet", "Insect"]

    init(seed: UInt64) { random = SeededGenerator(seed) }

    /// The text of the next schema.
    mutating func next() -> String {
        var text = """
            "Whatever." scalar Anything @specifiedBy(url: "https://example.org/anything")
            enum Colour { RED GREEN BLUE @deprecated(reason: "faded") }
            enum Size { SMALL LARGE }
            input Range { from: Int = 0, to: Int!, step: Float = 0.5, open: Boolean }
            input Filter { colour: Colour = RED, ids: [ID!], ranges: [[Range]], and: [Filter!], any: Anything, not: Filter }
            input Choice @oneOf { number: Int, text: String, range: Range }
            directive @tag(name: String!, level: Int = 1) repeatable on FIELD | QUERY | FRAGMENT_SPREAD | VARIABLE_DEFINITION
            directive @once(colours: [Colour!]) on FIELD | INLINE_FRAGMENT | FRAGMENT_DEFINITION | MUTATION | SUBSCRIPTION

            """
        let promised = Self.interfaces.map { _ in fields(prefix: "p", count: 2) }
        for (name, fields) in zip(Self.interfaces, promised) { text += "interface \(name) { \(fields) }\n" }
        for (index, name) in Self.objects.enumerated() {
            let number = random.below(4)
            let own = fields(prefix: "f", count: 5)
            let interface = number < 2 ? number : index < 2 ? index : nil
            let head = interface.map { " implements \(Self.interfaces[$0])" } ?? ""
            text += "type \(name)\(head) { \(interface.map { promised[$0] } ?? "") \(own) }\n"
        }
        text += "union Pet = Cat | Dog\nunion Insect = Ant | Bee\(random.once(in: 3) ? " | Cat" : "")\n"
        for root in ["Query", "Mutation", "Subscription"] {
            text += "type \(root) { \(fields(prefix: "r", count: 6)) }\n"
        }
        return text
    }

    private mutating func fields(prefix: String, count: Int) -> String {
        (0..<count).map { "\(prefix)\($0)\(arguments()): \(outputType())\(deprecation())" }.joined(separator: "\n  ")
    }

    private mutating func deprecation() -> String { random.once(in: 8) ? " @deprecated" : "" }

    private mutating func outputType() -> String {
        let composites = Self.objects + Self.interfaces + Self.unions
        return wrapped(random.once(in: 2) ? random.pick(Self.leaves) : random.pick(composites))
    }

    private mutating func wrapped(_ name: String) -> String {
        let inner = random.once(in: 4) ? "[\(wrapped(name))]" : name
        return random.once(in: 4) ? "\(inner)!" : inner
    }

    private mutating func arguments() -> String {
        guard random.once(in: 2) else { return "" }
        let arguments = (0...random.below(3)).map { "a\($0): \(argumentType())" }
        return "(\(arguments.joined(separator: ", ")))"
    }

    private mutating func argumentType() -> String {
        let defaults: [(String, String)] = [
            ("Int", "7"), ("Int!", "-1"), ("Float", "1.5"), ("String", "\"x\""), ("Boolean!", "true"),
            ("Colour", "GREEN"), ("[Int!]", "[1, 2]"), ("[Size]", "[SMALL, null]"),
            ("Range", "{from: 1, to: 3, step: 2.5}"),
        ]
        if random.once(in: 3) {
            let (type, value) = random.pick(defaults)
            return "\(type) = \(value)"
        }
        return wrapped(random.pick(Self.leaves + Self.inputs))
    }
}
