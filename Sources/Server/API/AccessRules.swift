internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

/// The rules of a model.
package struct AccessRules: Sendable, Hashable {
    /// The rules for whole records. If `nil`, the model has no rules, and only callers of the default provider may use it.
    package let model: [AccessRule]?
    /// The rules of single fields, by the field's name. They replace the model's rules for that field.
    package let fields: [String: [AccessRule]]

    /// All rules: first the model's rules, then the rules of its fields, sorted by field name.
    package var all: [AccessRule] { (model ?? []) + fields.sorted { $0.key < $1.key }.flatMap(\.value) }
}

extension AccessRules {
    /// Reads the `@auth` rules of `model` and its fields.
    ///
    /// - Parameter definition: The declaration of the model in the document; `nil` for a join model.
    init(
        of model: ModelSchema, _ definition: TypeDefinition?, in document: SchemaDocument
    ) throws(SchemaDiagnostic) {
        let parser = AccessRuleParser(model: model, document: document)
        self.model = try parser.rules(
            model.directives, at: definition?.directives.first(named: "auth")?.span)
        let members =
            model.fields.map { ($0.name, $0.directives) } + model.associations.map { ($0.name, $0.directives) }
        var fields: [String: [AccessRule]] = [:]
        for (name, directives) in members {
            let span = definition?.fields.first(named: name)?.directives.first(named: "auth")?.span
            fields[name] = try parser.rules(directives, at: span)
        }
        self.fields = fields
    }

    /// The fields that hold owners, without duplicates. `isList` says whether the field holds several owners.
    var ownerFields: [(name: String, isList: Bool)] {
        var found: [(name: String, isList: Bool)] = []
        for case .owner(let name, let isList, _) in all.map(\.subject) where !found.contains(where: { $0.name == name })
        {
            found.append((name, isList))
        }
        return found
    }

    /// The fields whose values the rules compare. A client's subscription filter cannot use these fields.
    var decidingFields: Set<String> {
        var names = Set<String>()
        for rule in all {
            switch rule.subject {
            case .owner(let field, _, _), .groupsOfRecord(let field, _, _): names.insert(field)
            case .groups, .signedIn, .everybody, .custom: break
            }
        }
        return names
    }
}

/// A parser for the rules of a model.
private struct AccessRuleParser {
    let model: ModelSchema
    let document: SchemaDocument

    /// The rules of all `@auth` directives in `directives`; `nil` if there are none.
    func rules(_ directives: [String], at span: SourceSpan?) throws(SchemaDiagnostic) -> [AccessRule]? {
        let auth = directives.flatMap { Directive.parsed($0) }.filter { $0.name.value == "auth" }
        guard !auth.isEmpty else { return nil }
        let values = auth.compactMap { $0.arguments["rules"] }.flatMap { $0.elements ?? [$0] }
        var rules: [AccessRule] = []
        for value in values { rules.append(try rule(value, at: span ?? .none)) }
        return rules
    }

    private func rule(_ value: Value, at span: SourceSpan) throws(SchemaDiagnostic) -> AccessRule {
        let word = { (name: String) in value[name].flatMap { $0.enumName ?? $0.string } }
        let allow = word("allow") ?? ""
        let provider = try provider(word("provider"), for: allow, at: span)
        return AccessRule(
            subject: subject(value, allow), provider: provider,
            operations: operations(value["operations"]))
    }

    /// The providers that each kind of rule can have. The first one is the default.
    private static let providers: [String: [AccessRule.Provider]] = [
        "owner": [.userPools, .oidc], "groups": [.userPools, .oidc], "private": [.userPools, .oidc, .iam],
        "public": [.apiKey, .iam], "custom": [.function],
    ]

    private func provider(
        _ name: String?, for allow: String, at span: SourceSpan
    ) throws(SchemaDiagnostic) -> AccessRule.Provider {
        let possible = Self.providers[allow, default: []]
        guard let name else { return possible.first ?? .userPools }
        guard let provider = AccessRule.Provider(rawValue: name == "identityPool" ? "iam" : name),
            possible.contains(provider)
        else {
            let names = possible.map(\.rawValue).joined(separator: " or ")
            throw document.diagnostic("a rule that allows \(allow) has the provider \(names), not \(name)", at: span)
        }
        return provider
    }

    private func subject(_ value: Value, _ allow: String) -> AccessRule.Subject {
        switch allow {
        case "owner":
            let field = value["ownerField"]?.string ?? "owner"
            let claims = parts(value["identityClaim"]?.string ?? "sub::username")
            return .owner(field: field, isList: isList(field), claims: claims)
        case "groups":
            let claim = value["groupClaim"]?.string ?? "cognito:groups"
            if value["groupsField"]?.string == nil, let groups = value["groups"], !groups.isNull {
                return .groups((groups.elements ?? [groups]).compactMap(\.string), claim: claim)
            }
            let field = value["groupsField"]?.string ?? "groups"
            return .groupsOfRecord(field: field, isList: isList(field), claim: claim)
        case "private": return .signedIn
        case "public": return .everybody
        default: return .custom
        }
    }

    private func operations(_ value: Value?) -> Set<AccessRule.Operation> {
        guard let value, !value.isNull else { return Set(AccessRule.Operation.allCases) }
        let names = (value.elements ?? [value]).compactMap { $0.enumName ?? $0.string }
        return names.reduce(into: []) { operations, name in
            operations.formUnion(AccessRule.Operation(rawValue: name).map { [$0] } ?? AccessRule.Operation.reading)
        }
    }

    /// The parts of a text that is separated by `::`.
    private func parts(_ text: String) -> [String] {
        var parts: [String] = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == ":", rest.first == ":" {
                rest.removeFirst()
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    private func isList(_ field: String) -> Bool {
        if case .list? = model.field(named: field)?.type { true } else { false }
    }
}
