internal import TidelogCore

/// What one caller may do with the records of one model.
///
/// The rules of the model decide about its records. The rules of a field take their place for that field: for writing it,
/// and for reading it in a record that may be read.
final class ModelAccess: Sendable {
    let model: ModelAPI
    private let whole: [AccessRule.Operation: Permission]
    private let fields: [String: [AccessRule.Operation: Permission]]
    /// By a field for owners, the records whose owners the caller may change: as an owner, or as a member of a group that
    /// the schema names.
    private let ownerChanges: [String: Permission]
    /// The names that new records get in their fields for owners, where nothing was sent.
    let newOwners: [NewOwner]

    /// What a field for owners holds at first.
    struct NewOwner: Sendable, Hashable {
        let field: String
        let isList: Bool
        let name: String
    }

    /// - Parameter defaultProvider: How callers are recognised for whom a model without rules is open.
    init(_ model: ModelAPI, for caller: Caller, defaultProvider: AccessRule.Provider) {
        self.model = model
        let open: Permission = caller.provider == defaultProvider ? .everything : .nobody
        whole = Self.permissions(model.rules.model, caller, orElse: open)
        fields = model.rules.fields.mapValues { Self.permissions($0, caller, orElse: open) }
        ownerChanges = Self.ownerChanges(model.rules, caller)
        newOwners = Self.newOwners(model.rules, caller)
    }

    // MARK: Records and fields

    /// What the rules of the model allow.
    func permission(_ operation: AccessRule.Operation) -> Permission { whole[operation] ?? .nobody }

    /// What the rules of a field allow that has its own, else those of the model.
    func permission(_ operation: AccessRule.Operation, field: String) -> Permission {
        guard let own = fields[field] else { return permission(operation) }
        return own[operation] ?? .nobody
    }

    /// Whether the caller may change the owners that `field` of `stored` names; true for fields that name none.
    ///
    /// Rules that let everybody update a record do not let everybody become its owner, who may read more of it.
    func mayChangeOwners(in field: String, of stored: Record) -> Bool {
        ownerChanges[field]?.holds(for: stored) ?? true
    }

    /// Whether the field's own rules let it be read in `record`; so they do if it has none. That the record itself may be
    /// read is asked elsewhere.
    func admits(_ field: String, of record: Record, _ operation: AccessRule.Operation) -> Bool {
        guard let own = fields[field] else { return true }
        return (own[operation] ?? .nobody).holds(for: record)
    }

    /// Whether a field with a value can be read in `record`.
    func mayRead(_ field: String, of record: Record, _ operation: AccessRule.Operation) -> Bool {
        permission(operation).holds(for: record) && admits(field, of: record, operation)
    }

    /// Whether the field has rules of its own.
    func hasOwnRules(_ field: String) -> Bool { fields[field] != nil }

    /// The fields with rules of their own, by name.
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

    private static func records(_ field: String, _ role: RecordTest.Role, _ names: [String]) -> Permission {
        names.isEmpty ? .nobody : .records([RecordTest(field: field, role: role, names: names.map { Array($0.utf8) })])
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
}
