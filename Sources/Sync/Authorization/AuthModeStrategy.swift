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
        _ rules: [AuthorizationRule], for operation: AuthorizationRule.Operation, given: Set<Mode>,
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

extension AuthorizationRule {
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
