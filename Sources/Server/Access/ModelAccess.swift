internal import TidelogAgreement
internal import TidelogCore

/// The permissions of one caller for the records of one model.
///
/// The rules of the model decide about its records. The rules of a field replace the model's rules for that field: when the
/// field is written, and when it is read in a record that the caller may read.
final class ModelAccess: Sendable {
    let model: ModelAPI
    private let whole: [AccessRule.Operation: Permission]
    private let fields: [String: [AccessRule.Operation: Permission]]
    /// For each owner field, the records whose owners the caller may change: as an owner, or as a member of a group that the
    /// schema names.
    private let ownerChanges: [String: Permission]
    /// The names that a new record gets in its owner fields if the caller sent no value for them.
    let newOwners: [NewOwner]

    /// The first value of an owner field.
    struct NewOwner: Sendable, Hashable {
        let field: String
        let isList: Bool
        let name: String
    }

    /// - Parameter defaultProvider: The provider whose callers may use a model without rules.
    init(_ model: ModelAPI, for caller: Caller, defaultProvider: AccessRule.Provider) {
        self.model = model
        let open: Permission = caller.provider == defaultProvider ? .everything : .nobody
        whole = Self.permissions(model.rules.model, caller, orElse: open)
        fields = model.rules.fields.mapValues { Self.permissions($0, caller, orElse: open) }
        ownerChanges = Self.ownerChanges(model.rules, caller)
        newOwners = Self.newOwners(model.rules, caller)
    }

    // MARK: Records and fields

    /// The permission that the rules of the model give.
    func permission(_ operation: AccessRule.Operation) -> Permission { whole[operation] ?? .nobody }

    /// The permission that the rules of the field give. If the field has no rules, the model's rules apply.
    func permission(_ operation: AccessRule.Operation, field: String) -> Permission {
        guard let own = fields[field] else { return permission(operation) }
        return own[operation] ?? .nobody
    }

    /// Whether the caller may change the owners in `field` of `stored`. True for fields that hold no owners.
    ///
    /// A rule that lets everybody update a record does not let everybody become its owner, because an owner may be allowed to
    /// read more of the record.
    func mayChangeOwners(in field: String, of stored: Record) -> Bool {
        ownerChanges[field]?.holds(for: stored) ?? true
    }

    /// Whether the field's own rules allow to read it in `record`. True if the field has no rules. This method does not check
    /// whether the caller may read the record itself.
    func admits(_ field: String, of record: Record, _ operation: AccessRule.Operation) -> Bool {
        guard let own = fields[field] else { return true }
        return (own[operation] ?? .nobody).holds(for: record)
    }

    /// Whether the caller may read the value of a field in `record`.
    func mayRead(_ field: String, of record: Record, _ operation: AccessRule.Operation) -> Bool {
        permission(operation).holds(for: record) && admits(field, of: record, operation)
    }

    /// Whether the field has its own rules.
    func hasOwnRules(_ field: String) -> Bool { fields[field] != nil }

    /// The fields with their own rules, sorted by name.
    var fieldsWithOwnRules: [String] { fields.keys.sorted() }

    // MARK: Rules

    private static func permissions(
        _ rules: [AccessRule]?, _ caller: Caller, orElse open: Permission
    ) -> [AccessRule.Operation: Permission] {
        var permissions: [AccessRule.Operation: Permission] = [:]
        for operation in AccessRule.Operation.allCases {
            permissions[operation] =
                rules.map { rules in
                    rules.filter { $0.operations.contains(operation) }
                        .reduce(.nobody) { $0.or(Self.permission($1, caller)) }
                } ?? open
        }
        return permissions
    }

    private static func permission(_ rule: AccessRule, _ caller: Caller) -> Permission {
        guard rule.provider == caller.provider else { return .nobody }
        switch rule.subject {
        case .everybody: return .everything
        case .custom: return .nobody
        case .signedIn: return caller.claims == nil ? .nobody : .everything
        case .groups(let names, let claim):
            let groups = groups(caller, claim)
            return names.contains { name in groups.contains { $0.utf8.elementsEqual(name.utf8) } }
                ? .everything : .nobody
        case .groupsOfRecord(let field, _, let claim):
            return records(field, .member, groups(caller, claim))
        case .owner(let field, let isList, let claims):
            guard let token = caller.claims else { return .nobody }
            return records(field, isList ? .oneOfOwners : .owner, OwnerNames(claims, in: token).all)
        }
    }

    private static func records(_ field: String, _ role: Permission.RecordTest.Role, _ names: [String]) -> Permission {
        names.isEmpty
            ? .nobody : .records([Permission.RecordTest(field: field, role: role, names: names.map { Array($0.utf8) })])
    }

    private static func groups(_ caller: Caller, _ claim: String) -> [String] {
        (caller.claims?.list(claim) ?? []).filter { !$0.isEmpty }
    }

    private static func ownerChanges(_ rules: AccessRules, _ caller: Caller) -> [String: Permission] {
        var changes: [String: Permission] = [:]
        for rule in rules.all {
            guard case .owner(let field, _, _) = rule.subject, changes[field] == nil else { continue }
            let deciding = rules.fields[field] ?? rules.model ?? []
            let naming = rules.all.filter { if case .owner(field, _, _) = $0.subject { true } else { false } }
            changes[field] = (deciding + naming).filter { rule in
                switch rule.subject {
                case .owner, .groups: rule.operations.contains(.update)
                default: false
                }
            }
            .reduce(.nobody) { $0.or(permission($1, caller)) }
        }
        return changes
    }

    private static func newOwners(_ rules: AccessRules, _ caller: Caller) -> [NewOwner] {
        guard let token = caller.claims else { return [] }
        var owners: [NewOwner] = []
        for rule in rules.all where rule.provider == caller.provider && rule.operations.contains(.create) {
            guard case .owner(let field, let isList, let claims) = rule.subject,
                !owners.contains(where: { $0.field == field }), let name = OwnerNames(claims, in: token).full
            else { continue }
            owners.append(NewOwner(field: field, isList: isList, name: name))
        }
        return owners
    }

    /// The names of an owner in records, from the claims of a token.
    struct OwnerNames: Sendable, Hashable {
        /// The name that new records get: all claims joined with `::`. If a later claim is missing, this is the first claim
        /// alone. `nil` if the first claim is missing.
        let full: String?
        /// All names in a record that count as this owner: the full name, and each claim alone.
        let all: [String]

        /// - Parameters:
        ///   - claims: The names of the claims that a rule gives.
        ///   - token: The claims of the caller's token.
        init(_ claims: [String], in token: TokenClaims) {
            var values = claims.map { name -> String? in
                // Access tokens of Cognito have the claim `username`. Its id tokens have the same value in `cognito:username`.
                let text = name == "username" || name == "cognito:username" ? token.username : token.text(name)
                return text.flatMap { $0.isEmpty ? nil : $0 }
            }
            // Only the last of several claims may contain the separator. Otherwise two callers could have the same full name.
            for index in values.indices.dropLast() where values[index].map(Self.hasSeparator) ?? false {
                values[index] = nil
            }
            let present = values.compactMap { $0 }
            let isWhole = present.count == values.count
            full = isWhole && !present.isEmpty ? present.joined(separator: "::") : values.first ?? nil
            // A single claim that looks like a full name must not count as one.
            let alone = claims.count == 1 ? present : present.filter { !Self.hasSeparator($0) }
            var all: [String] = isWhole ? [full].compactMap { $0 } : []
            for name in alone where !all.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { all.append(name) }
            self.all = all
        }

        private static func hasSeparator(_ text: String) -> Bool {
            zip(text.utf8, text.utf8.dropFirst()).contains { $0 == 0x3A && $1 == 0x3A }
        }
    }
}
