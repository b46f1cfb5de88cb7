/// One rule of `@auth`: who may do what. A record may be used where any rule says so.
package struct AccessRule: Sendable, Hashable {
    /// Whom it allows.
    package let subject: Subject
    /// How a caller must have been recognised.
    package let provider: Provider
    /// What they may do.
    package let operations: Set<Operation>

    /// Whom a rule allows.
    package enum Subject: Sendable, Hashable {
        /// Those whom the record names in this field, alone or in a list. Any of the claims may be what stands there, and so
        /// may all of them with `::` between.
        case owner(field: String, isList: Bool, claims: [String])
        /// Members of one of these groups.
        case groups([String], claim: String)
        /// Members of the groups that the record names in this field; nobody where the model has no such field.
        case groupsOfRecord(field: String, isList: Bool, claim: String)
        /// Everybody who has signed in.
        case signedIn
        /// Everybody with what the provider asks for.
        case everybody
        /// Whom a function allows.
        case custom
    }

    /// How callers are recognised. `identityPool` is a later name of `iam`.
    package enum Provider: String, Sendable, Hashable, CaseIterable {
        case apiKey, iam, oidc, userPools, function
    }

    /// What a rule allows. `read` stands for the last five.
    package enum Operation: String, Sendable, Hashable, CaseIterable {
        case create, update, delete, get, list, sync, listen, search

        package static let reading: Set<Operation> = [.get, .list, .sync, .listen, .search]
    }
}

/// The rules of a model.
package struct AccessRules: Sendable, Hashable {
    /// The rules for whole records, `nil` where the model has none: then it is open to the default mode alone.
    package let model: [AccessRule]?
    /// The rules that take their place for single fields, by the field's name.
    package let fields: [String: [AccessRule]]

    /// All rules, the model's first, then those of its fields by name.
    package var all: [AccessRule] { (model ?? []) + fields.sorted { $0.key < $1.key }.flatMap(\.value) }
}
