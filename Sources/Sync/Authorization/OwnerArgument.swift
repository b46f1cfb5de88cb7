internal import TidelogAgreement

/// The argument of a subscription or of a query over an index that asks for the records of one owner.
struct OwnerArgument: Sendable, Hashable {
    /// The field with the owner, and the name of the argument.
    let field: String
    /// The owner's name in the form that new records have.
    let value: String

    init(field: String, value: String) { (self.field, self.value) = (field, value) }

    /// The argument for the bearer of `token` in this mode. It is `nil` if the bearer may also receive records that do not name
    /// the bearer in a single field. With an argument, these records would be left out. Without one, the server decides which
    /// records the bearer may receive.
    init?(
        _ rules: [AccessRule], for operation: AccessRule.Operation, by mode: GraphQLAuthorization.Mode, token: String?
    ) {
        guard let claims = token.flatMap({ UnverifiedClaims($0) }) else { return nil }
        var owner: OwnerArgument?
        for rule in rules where rule.mode == mode && rule.operations.contains(operation) {
            switch rule.subject {
            case .owner(let field, isList: false, let names):
                guard let value = claims.owner(names) else { continue }
                let argument = OwnerArgument(field: field, value: value)
                guard owner == nil || owner == argument else { return nil }
                owner = argument
            case .groups(let groups, let claim):
                guard claims.texts(claim).allSatisfy({ !groups.contains($0) }) else { return nil }
            case .owner, .groupsOfRecord, .signedIn, .everybody, .custom: return nil
            }
        }
        guard let owner else { return nil }
        self = owner
    }
}

extension UnverifiedClaims {
    /// The name of the bearer as the owner of new records. It consists of these claims, separated by `::`. If a later claim is
    /// missing, it is the first claim alone. It is `nil` if the first claim is missing.
    fileprivate func owner(_ names: [String]) -> String? {
        var values = names.map { name in
            name == "username" || name == "cognito:username" ? username : text(name)
        }
        // A server accepts the separator only in the last claim, because otherwise two persons could have the same name.
        for index in values.indices.dropLast() where values[index]?.contains("::") ?? false { values[index] = nil }
        let present = values.compactMap { $0 }
        guard present.count < values.count else { return present.joined(separator: "::") }
        return values.first ?? nil
    }
}
