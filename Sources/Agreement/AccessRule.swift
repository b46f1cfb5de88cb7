internal import TidelogSchemaDirectives

/// An access rule: one rule of `@auth`. A caller may do what at least one rule allows.
package struct AccessRule: Sendable, Hashable {
    /// The callers that the rule allows.
    package let subject: Subject
    /// How the caller must have been recognised.
    package let provider: Provider
    /// The operations that the rule allows.
    package let operations: Set<Operation>

    /// The callers that a rule can allow.
    package enum Subject: Sendable, Hashable {
        /// Callers whose name is in this field of the record, either alone or in a list. The name in the record may be any one
        /// of the claims, or all claims joined with `::`.
        case owner(field: String, isList: Bool, claims: [String])
        /// Members of one of these groups.
        case groups([String], claim: String)
        /// Members of the groups that this field of the record names. The rule allows no caller if the model has no such field.
        case groupsOfRecord(field: String, isList: Bool, claim: String)
        /// All callers who have signed in.
        case signedIn
        /// All callers with the credentials that the provider requires.
        case everybody
        /// Callers that a function allows.
        case custom
    }

    /// How a caller is recognised. The newer name `identityPool` means `iam`.
    package enum Provider: String, Sendable, Hashable, CaseIterable {
        case apiKey, iam, oidc, userPools, function
    }

    /// An operation that a rule can allow. In a schema, `read` means the last five.
    package enum Operation: String, Sendable, Hashable, CaseIterable {
        case create, update, delete, get, list, sync, listen, search

        package static let reading: Set<Operation> = [.get, .list, .sync, .listen, .search]
    }

    package init(subject: Subject, provider: Provider, operations: Set<Operation>) {
        (self.subject, self.provider, self.operations) = (subject, provider, operations)
    }
}

// MARK: - Reading

extension AccessRule {
    /// A rule that cannot be read. The text names the rule's fault.
    package struct Malformed: Error, Sendable {
        package let message: String
    }

    /// The rules of all `@auth` directives in `directives`, which are the texts that a schema keeps. Each rule is read on its
    /// own. `nil` if there is no `@auth`.
    ///
    /// - Parameter isList: Whether a field of the model holds a list. It is `false` for a missing field.
    /// - Throws: ``Malformed`` if the text of the directives cannot be read.
    package static func rules(
        in directives: [String], isList: (String) -> Bool
    ) throws(Malformed) -> [Result<AccessRule, Malformed>]? {
        var all: [Result<AccessRule, Malformed>]?
        for text in directives {
            guard let auth = DirectiveText.arguments(of: "auth", in: text) else {
                throw Malformed(message: "the directives \(text) cannot be read")
            }
            for arguments in auth {
                let rules = arguments["rules"]?.elements ?? []
                all =
                    (all ?? [])
                    + rules.map { rule in
                        Result { () throws(Malformed) in try AccessRule(rule, isList: isList) }
                    }
            }
        }
        return all
    }

    private init(_ value: DirectiveText.Value, isList: (String) -> Bool) throws(Malformed) {
        guard let allow = value["allow"]?.text, let subject = Self.subject(allow, value, isList) else {
            throw Malformed(message: "a rule of @auth allows owner, groups, private, public or custom")
        }
        self.subject = subject
        provider = try Self.provider(value["provider"]?.text, for: allow)
        guard let names = value["operations"] else {
            operations = Set(Operation.allCases)
            return
        }
        operations = names.elements.compactMap(\.text).reduce(into: []) { operations, name in
            operations.formUnion(Operation(rawValue: name).map { [$0] } ?? Operation.reading)
        }
    }

    private static func subject(
        _ allow: String, _ value: DirectiveText.Value, _ isList: (String) -> Bool
    ) -> Subject? {
        switch allow {
        case "owner":
            let field = value["ownerField"]?.text ?? "owner"
            let claims = parts(value["identityClaim"]?.text ?? "sub::username")
            return .owner(field: field, isList: isList(field), claims: claims)
        case "groups":
            let claim = value["groupClaim"]?.text ?? "cognito:groups"
            if value["groupsField"] == nil, let groups = value["groups"] {
                return .groups(groups.elements.compactMap(\.text), claim: claim)
            }
            let field = value["groupsField"]?.text ?? "groups"
            return .groupsOfRecord(field: field, isList: isList(field), claim: claim)
        case "private": return .signedIn
        case "public": return .everybody
        case "custom": return .custom
        default: return nil
        }
    }

    /// The providers that each kind of rule can have. The first one is the default.
    private static let providers: [String: [Provider]] = [
        "owner": [.userPools, .oidc], "groups": [.userPools, .oidc], "private": [.userPools, .oidc, .iam],
        "public": [.apiKey, .iam], "custom": [.function],
    ]

    private static func provider(_ name: String?, for allow: String) throws(Malformed) -> Provider {
        let possible = providers[allow, default: []]
        guard let name else { return possible.first ?? .userPools }
        guard let provider = Provider(rawValue: name == "identityPool" ? "iam" : name), possible.contains(provider)
        else {
            let names = possible.map(\.rawValue).joined(separator: " or ")
            throw Malformed(message: "a rule that allows \(allow) has the provider \(names), not \(name)")
        }
        return provider
    }

    /// The parts of a text that are separated by `::`.
    private static func parts(_ text: String) -> [String] {
        text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
    }
}
