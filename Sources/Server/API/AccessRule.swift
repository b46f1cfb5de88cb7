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
}
