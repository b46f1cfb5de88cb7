internal import TidelogAgreement
internal import TidelogCore

/// The strategy by which a sync engine chooses the modes of authorization for a model.
public enum AuthModeStrategy: Sendable, Hashable {
    /// The default mode alone.
    case `default`
    /// The modes that the model's `@auth` rules name for an operation, as far as the app gave credentials for them. The order
    /// is Amplify's: rules for functions, owners, groups, all signed-in users, and everybody. Among rules for the same callers,
    /// the order is functions, user pools, OIDC, API keys.
    ///
    /// The next mode is used only if the server refuses the caller, or if the provider of tokens says that the user is signed
    /// out. If no mode is left, the first refusal is reported.
    case multiAuth
}

extension AuthModeStrategy {
    typealias Mode = GraphQLAuthorization.Mode

    /// The modes to try, in order; at least one.
    ///
    /// - Parameter given: The modes that the app gave.
    func modes(
        _ rules: [AccessRule], for operation: AccessRule.Operation, given: Set<Mode>,
        orElse defaultMode: Mode
    ) -> [Mode] {
        guard self == .multiAuth else { return [defaultMode] }
        var modes: [Mode] = []
        let fitting = rules.filter { $0.operations.contains(operation) && given.contains($0.mode) }
        for rule in fitting.sorted(by: { $0.place < $1.place }) where !modes.contains(rule.mode) {
            modes.append(rule.mode)
        }
        return modes.isEmpty ? [defaultMode] : modes
    }
}

extension AccessRule {
    /// The rules of `model`. A rule that cannot be read is left out, because the server decides. The list is empty if the model
    /// has no `@auth`, or if the directives cannot be read.
    static func rules(of model: ModelSchema) -> [AccessRule] {
        let rules = try? rules(
            in: model.directives,
            isList: { field in if case .list? = model.field(named: field)?.type { true } else { false } })
        return (rules.flatMap { $0 } ?? []).compactMap { try? $0.get() }
    }

    /// The mode in which a client shows that the rule allows it.
    var mode: GraphQLAuthorization.Mode {
        switch provider {
        case .apiKey: .apiKey
        case .iam: .awsIAM
        case .oidc: .openIDConnect
        case .userPools: .amazonCognitoUserPools
        case .function: .function
        }
    }

    /// The position of the rule among the rules of a model.
    fileprivate var place: (Int, Int) {
        let subjectPlace =
            switch subject {
            case .custom: 0
            case .owner: 1
            case .groups, .groupsOfRecord: 2
            case .signedIn: 3
            case .everybody: 4
            }
        let modePlace =
            switch mode {
            case .function: 0
            case .amazonCognitoUserPools: 1
            case .openIDConnect: 2
            case .awsIAM: 3
            case .apiKey: 4
            }
        return (subjectPlace, modePlace)
    }
}
