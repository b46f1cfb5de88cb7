import SeededNumbers

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// Makes valid and invalid requests to a type system. The invalid ones have mistakes of every kind.
struct RequestGenerator {
    struct Request {
        let document: String
        let variables: InputObject
        let operation: String?
    }

    let typeSystem: TypeSystem
    var random: SeededGenerator
    /// The generator makes a mistake in about one of so many places. If it is `nil`, it makes none.
    var mistakeRarity: Int?
    /// The variables of the operation: name, type and default value.
    var variables: [(name: String, type: String, defaultValue: String?)] = []
    var fragments: [(name: String, type: String, text: String)] = []
    private var openFragments: [(name: String, type: String)] = []
    private var budget = 0

    init(typeSystem: TypeSystem, seed: UInt64) {
        self.typeSystem = typeSystem
        random = SeededGenerator(seed)
    }

    mutating func next() -> Request {
        mistakeRarity = random.once(in: 2) ? nil : 10 + random.below(60)
        variables = []
        fragments = []
        openFragments = []
        budget = 5 + random.below(25)
        let operations = [operation()] + (random.once(in: 12) ? [operation()] : [])
        var text = operations.map(\.text).joined(separator: "\n")
        for fragment in fragments { text += "\n\(fragment.text)" }
        if mistakeRarity != nil, random.once(in: 3) { text = withOtherTokens(text) }
        if isMistaken() { text += "\nfragment \(random.pick(["F0", "G"])) on \(typeName()) { __typename }" }
        let values = variables.filter { _ in !random.once(in: 6) }.map { variable in
            InputObject.Member(name: variable.name, value: value(of: variable.type))
        }
        let chosen = operations.count > 1 || random.once(in: 8) ? operations[0].name : nil
        return Request(document: text, variables: InputObject(values), operation: chosen)
    }

    /// The text with a few tokens dropped, repeated, swapped, or replaced by another of its tokens. If the result does not
    /// parse, the text itself.
    private mutating func withOtherTokens(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var tokens = Mutator.tokens(of: bytes)
        for _ in 0...random.below(2) {
            let place = random.below(tokens.count)
            switch random.below(4) {
            case 0: tokens.remove(at: place)
            case 1: tokens.insert(tokens[place], at: place)
            case 2: tokens.swapAt(place, random.below(tokens.count))
            default: tokens[place] = random.pick(tokens)
            }
        }
        let mutant = tokens.reduce(into: []) { $0 += $1 + [UInt8(ascii: " ")] }
        return parse(mutant).document == nil ? text : String(decoding: mutant, as: UTF8.self)
    }

    mutating func isMistaken() -> Bool { mistakeRarity.map { random.once(in: $0) } ?? false }

    // MARK: Operations

    private mutating func operation() -> (name: String?, text: String) {
        let kind = random.pick(["query", "query", "query", "query", "mutation", "subscription"])
        let root = typeSystem.rootType(OperationType(rawValue: kind) ?? .query)
        let isAnonymous = random.once(in: 4)
        let name = isAnonymous ? nil : random.pick(["One", "Two", "Three"])
        let known = variables.count
        let isAlone = kind == "subscription" && !isMistaken()
        let selections = root.map { selectionSet($0, depth: 0, count: isAlone ? 1 : nil) } ?? "{ __typename }"
        if isMistaken() { variables.append((name: "u\(variables.count)", type: "Int", defaultValue: nil)) }
        var definitions = variables.enumerated().filter { $0.offset >= known || random.once(in: 2) }.map(\.element)
        if !definitions.isEmpty, isMistaken() { definitions.removeLast() }
        let texts = definitions.map { variable in
            let defaultValue = variable.defaultValue.map { " = \($0)" } ?? ""
            let directive = random.once(in: 12) ? " @tag(name: \"v\")" : ""
            return "$\(variable.name): \(isMistaken() ? typeName() : variable.type)\(defaultValue)\(directive)"
        }
        if isAnonymous, kind == "query", texts.isEmpty { return (nil, selections) }
        let list = texts.isEmpty ? "" : "(\(texts.joined(separator: ", ")))"
        return (name, "\(kind) \(name ?? "")\(list)\(directives(at: kind)) \(selections)")
    }

    mutating func typeName() -> String { random.pick(typeSystem.types.map(\.name) + ["Nothing"]) }

    // MARK: Selections

    private mutating func selectionSet(_ type: DeclaredType, depth: Int, count: Int? = nil) -> String {
        let count = count ?? 1 + random.below(4)
        let selections = (0..<count).map { _ in selection(of: type, depth: depth, isAlone: count == 1) }
        return "{\n\(selections.joined(separator: random.once(in: 2) ? "\n" : " "))\n}"
    }

    private mutating func selection(of type: DeclaredType, depth: Int, isAlone: Bool) -> String {
        budget -= 1
        if !isAlone || depth > 0, random.once(in: 12) { return "__typename" }
        if depth < 6, random.once(in: 7) || type.kind == .union && !random.once(in: 4) {
            return random.once(in: 2) ? spread(in: type, depth: depth) : inlineFragment(in: type, depth: depth)
        }
        if isMistaken() { return random.pick(["nothing", "f0", "r1", "__schema { description }", "f1 { f2 }"]) }
        guard !type.fields.isEmpty else { return "__typename" }
        let leaves = type.fields.filter { typeSystem.innermost($0.type).isLeaf }
        let onlyLeaves = (depth >= 5 || budget < 0) && !leaves.isEmpty
        return field(random.pick(onlyLeaves ? leaves : type.fields), depth: depth)
    }

    private mutating func field(_ field: DeclaredField, depth: Int) -> String {
        let arguments = arguments(field.arguments)
        var alias = ""
        if !arguments.isEmpty && !random.once(in: 4) {
            alias = "x\(GeneratedObject.hash(field.name + arguments) % 100_000): "
        } else if random.once(in: 10) {
            alias = random.pick(["a: ", "b: ", "f0: "])
        }
        let inner = typeSystem.innermost(field.type)
        var selections = ""
        if inner.isComposite != isMistaken() {
            let isDeep = depth > 6 || budget < -30
            selections = " " + (inner.isComposite && !isDeep ? selectionSet(inner, depth: depth + 1) : "{ __typename }")
        }
        return "\(alias)\(field.name)\(arguments)\(directives(at: "field"))\(selections)"
    }

    /// A composite type that a fragment inside of `type` may name as its condition. Sometimes any composite type, as a mistake.
    private mutating func condition(in type: DeclaredType) -> DeclaredType {
        let types = typeSystem.types.filter { $0.isComposite && !$0.name.hasPrefix("__") }
        if isMistaken() { return random.pick(types) }
        return random.pick(types.filter { typeSystem.overlap($0, type) })
    }

    private mutating func inlineFragment(in type: DeclaredType, depth: Int) -> String {
        let condition = random.once(in: 4) ? type : condition(in: type)
        let head = condition.number == type.number ? "" : " on \(isMistaken() ? typeName() : condition.name)"
        return "...\(head)\(directives(at: "inline")) \(selectionSet(condition, depth: depth + 1))"
    }

    private mutating func spread(in type: DeclaredType, depth: Int) -> String {
        if isMistaken() {
            let open = openFragments.map(\.name) + fragments.map(\.name) + ["Missing"]
            return "...\(random.pick(open))"
        }
        let known = fragments.filter { fragment in
            typeSystem.type(fragment.type).map { typeSystem.overlap($0, type) } ?? false
        }
        if !known.isEmpty, random.once(in: 2) { return "...\(random.pick(known).name)\(directives(at: "spread"))" }
        let condition = condition(in: type)
        let name = "F\(fragments.count + openFragments.count)"
        openFragments.append((name: name, type: condition.name))
        let selections = selectionSet(condition, depth: depth + 1)
        openFragments.removeLast()
        let directives = directives(at: "fragment")
        let onType = isMistaken() ? typeName() : condition.name
        let text = "fragment \(name) on \(onType)\(directives) \(selections)"
        fragments.append((name: name, type: condition.name, text: text))
        return "...\(name)\(self.directives(at: "spread"))"
    }

    private mutating func directives(at place: String) -> String {
        guard random.once(in: 7) else { return "" }
        if isMistaken() {
            return random.pick([
                " @unknown", " @tag", " @skip(if: 1)", " @deprecated", " @once @once", " @include(if: true, x: 1)",
            ])
        }
        switch place {
        case "field", "inline", "spread":
            if random.once(in: 3) {
                return place == "spread" ? " @tag(name: \"a\") @tag(name: \"b\", level: 2)" : " @once(colours: RED)"
            }
            let condition = random.once(in: 3) ? variable(of: "Boolean!") : random.once(in: 3) ? "false" : "true"
            return " @\(random.once(in: 2) ? "skip(if: " : "include(if: ")\(condition))"
        case "query": return " @tag(name: \"q\")"
        default: return place == "fragment" || place != "query" ? " @once" : ""
        }
    }
}
