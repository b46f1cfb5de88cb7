import SeededNumbers

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

extension RequestGenerator {
    // MARK: Literals

    /// Arguments in parentheses; an empty text if there are none.
    mutating func arguments(_ declared: [DeclaredInput]) -> String {
        var texts: [String] = []
        for input in declared where (input.isRequired || random.once(in: 2)) && !isMistaken() {
            texts.append("\(input.name): \(argument(input))")
        }
        if isMistaken() { texts.append(random.pick(["zz: 1", "a0: 1"])) }
        return texts.isEmpty ? "" : "(\(texts.joined(separator: ", ")))"
    }

    private mutating func argument(_ input: DeclaredInput) -> String {
        if random.once(in: 4) { return variable(for: input.type, hasDefault: input.defaultValue != nil) }
        return literal(input.type)
    }

    private mutating func variable(for type: ResolvedType, hasDefault: Bool) -> String {
        var text = typeSystem.text(type)
        if text.hasSuffix("!"), hasDefault || isMistaken() {
            text.removeLast()
        } else if !text.hasSuffix("!"), random.once(in: 4) {
            text += "!"
        }
        return variable(of: text)
    }

    /// A variable of this type, which the operation declares.
    mutating func variable(of type: String) -> String {
        if let known = variables.first(where: { $0.type == type }), random.once(in: 2) { return "$\(known.name)" }
        if isMistaken(), let other = variables.randomElement(using: &random) { return "$\(other.name)" }
        let name = "v\(variables.count)"
        let reference = try? TypeReference(parsing: type)
        var defaultValue: String?
        if random.once(in: 4), let resolved = reference.flatMap({ typeSystem.resolved($0) }) {
            let text = literal(resolved, allowsVariables: false)
            defaultValue = text.contains("$") ? nil : text
        }
        variables.append((name: name, type: type, defaultValue: defaultValue))
        return "$\(name)"
    }

    private mutating func literal(_ type: ResolvedType, allowsVariables: Bool = true, depth: Int = 0) -> String {
        if isMistaken() { return random.pick(["1", "\"w\"", "RED", "null", "[1, [2]]", "{to: 1}", "1.5", "$lost"]) }
        if !type.isNonNull, random.once(in: 10) { return "null" }
        if allowsVariables, depth > 0, random.once(in: 10) { return variable(for: type, hasDefault: false) }
        if let element = type.listElement {
            if random.once(in: 4) { return literal(element, allowsVariables: allowsVariables, depth: depth + 1) }
            let elements = (0..<random.below(3)).map { _ in
                literal(element, allowsVariables: allowsVariables, depth: depth + 1)
            }
            return "[\(elements.joined(separator: ", "))]"
        }
        let named = typeSystem.innermost(type)
        if named.kind == .inputObject {
            return object(named, allowsVariables: allowsVariables, depth: depth)
        }
        return leaf(named)
    }

    private mutating func leaf(_ type: DeclaredType) -> String {
        if type.kind == .enum { return random.pick(type.enumValues.map(\.name.value)) }
        switch type.name {
        case "Int": return random.pick(["0", "1", "-12", "2147483647", random.once(in: 5) ? "2147483648" : "5"])
        case "Float": return random.pick(["0", "1.5", "-2.25", "1e3"])
        case "Boolean": return random.pick(["true", "false"])
        case "ID": return random.pick(["\"k\"", "5", "\"\""])
        case "String": return random.pick(["\"t\"", "\"é\\n\"", "\"\"\"b\"\"\"", "\"\""])
        default: return random.pick(["1", "\"any\"", "{x: [1, ANY, null]}", "[true]", "NAME", "2.5"])
        }
    }

    private mutating func object(_ type: DeclaredType, allowsVariables: Bool, depth: Int) -> String {
        var fields = type.inputFields.filter { $0.isRequired || depth < 3 && random.once(in: 3) }
        if type.isOneOf, !isMistaken() { fields = [random.pick(type.inputFields)] }
        if isMistaken() { fields.removeAll(where: \.isRequired) }
        if isMistaken(), let field = fields.first { fields.append(field) }
        var texts = fields.map { field in
            let inner = type.isOneOf ? ResolvedType.nonNull(field.type.nullable) : field.type
            return "\(field.name): \(literal(inner, allowsVariables: allowsVariables, depth: depth + 1))"
        }
        if isMistaken() { texts.append("strange: 1") }
        return "{\(texts.joined(separator: ", "))}"
    }

    // MARK: Values of variables

    /// A value for a variable of this type. Sometimes it is not valid.
    mutating func value(of type: String) -> InputValue {
        guard let resolved = (try? TypeReference(parsing: type)).flatMap({ typeSystem.resolved($0) }) else {
            return .int(1)
        }
        return value(resolved, depth: 0)
    }

    private mutating func value(_ type: ResolvedType, depth: Int) -> InputValue {
        if random.once(in: 40) {
            return random.pick([.null, .int(1), .string("w"), .list([.int(2)]), .object(["to": .bool(true)])])
        }
        if !type.isNonNull, random.once(in: 8) { return .null }
        if let element = type.listElement {
            if random.once(in: 5) { return value(element, depth: depth + 1) }
            return .list((0..<random.below(3)).map { _ in value(element, depth: depth + 1) })
        }
        let named = typeSystem.innermost(type)
        if named.kind == .enum { return .string(random.pick(named.enumValues.map(\.name.value))) }
        if named.kind == .inputObject {
            var fields = named.inputFields.filter { $0.isRequired || depth < 3 && random.once(in: 3) }
            if named.isOneOf { fields = [random.pick(named.inputFields)] }
            if random.once(in: 30) { fields.removeAll() }
            return .object(
                InputObject(fields.map { .init(name: $0.name, value: value($0.type, depth: depth + 1)) }))
        }
        switch named.name {
        case "Int": return random.pick([.int(0), .int(-7), .double(3), .int(1 << 33), .double(1.5)])
        case "Float": return random.pick([.int(2), .double(-0.5), .double(1000)])
        case "Boolean": return .bool(random.once(in: 2))
        case "ID": return random.pick([.string("k"), .int(12)])
        case "String": return random.pick([.string("t"), .string(""), .string("é\"\n")])
        default:
            return random.pick([.int(1), .string("any"), .list([.bool(true), .null]), .object(["x": .double(2.5)])])
        }
    }
}
