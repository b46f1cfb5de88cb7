internal import TidelogCore
internal import TidelogSchemaDirectives

/// A rule of `@auth` in the form that a client needs: the allowed callers, how they are recognised, and the allowed operations.
struct AuthorizationRule: Sendable, Hashable {
    /// The callers that a rule allows. The cases are in the order in which the modes of several rules are tried.
    enum Subject: Sendable, Hashable {
        case custom
        /// The owners that the record names in this field.
        case owner(field: String, isList: Bool, claims: [String])
        /// Members of one of these groups.
        case groups([String], claim: String)
        /// Members of the groups that the record names.
        case groupsOfRecord
        case signedIn
        case everybody
    }

    enum Operation: String, Sendable, Hashable, CaseIterable {
        case create, update, delete, get, list, sync, listen, search

        /// The operations that `read` stands for.
        static let reading: [Operation] = [.get, .list, .sync, .listen, .search]
    }

    let subject: Subject
    let mode: GraphQLAuthorization.Mode
    let operations: Set<Operation>

    /// The rules from the directives of `model`. The list is empty if the model has no `@auth`, or if the directive cannot be
    /// read.
    static func rules(of model: ModelSchema) -> [AuthorizationRule] {
        model.directives.flatMap { DirectiveText.arguments(of: "auth", in: $0) ?? [] }
            .flatMap { $0["rules"]?.elements ?? [] }
            .compactMap { AuthorizationRule($0, of: model) }
    }

    private init?(_ value: DirectiveText.Value, of model: ModelSchema) {
        guard let allow = value["allow"]?.text, let subject = Self.subject(allow, value, model),
            let mode = Self.mode(value["provider"]?.text, allow)
        else { return nil }
        (self.subject, self.mode) = (subject, mode)
        guard let names = value["operations"] else {
            operations = Set(Operation.allCases)
            return
        }
        operations = names.elements.reduce(into: []) { operations, name in
            operations.formUnion(
                name.text.flatMap { Operation(rawValue: $0) }.map { [$0] } ?? Operation.reading)
        }
    }

    private static func subject(_ allow: String, _ value: DirectiveText.Value, _ model: ModelSchema) -> Subject? {
        switch allow {
        case "owner":
            let field = value["ownerField"]?.text ?? "owner"
            let isList = if case .list? = model.field(named: field)?.type { true } else { false }
            let claims = parts(value["identityClaim"]?.text ?? "sub::username")
            return .owner(field: field, isList: isList, claims: claims)
        case "groups":
            guard value["groupsField"] == nil, let groups = value["groups"] else { return .groupsOfRecord }
            return .groups(groups.elements.compactMap(\.text), claim: value["groupClaim"]?.text ?? "cognito:groups")
        case "private": return .signedIn
        case "public": return .everybody
        case "custom": return .custom
        default: return nil
        }
    }

    /// - Parameter provider: The provider that the rule names; `nil` if it names none.
    private static func mode(_ provider: String?, _ allow: String) -> GraphQLAuthorization.Mode? {
        switch provider {
        case "userPools"?: .amazonCognitoUserPools
        case "oidc"?: .openIDConnect
        case "apiKey"?: .apiKey
        case "function"?: .function
        case "iam"?, "identityPool"?: .awsIAM
        case .some: nil
        case nil:
            switch allow {
            case "public": .apiKey
            case "custom": .function
            default: .amazonCognitoUserPools
            }
        }
    }

    /// The parts of a text that are separated by `::`.
    private static func parts(_ text: String) -> [String] {
        text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
    }
}
