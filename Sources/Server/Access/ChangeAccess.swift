internal import TidelogCore

/// What the rules say of one change that a caller asks for.
struct ChangeAccess: Sendable {
    let access: ModelAccess
    let mutation: Mutation
    /// The fields that the caller sent; for updates and deletions without the key, which only says which record is meant.
    let written: [String]
    /// The fields that the condition looks at, but for the key and the metadata, which a caller who changes a record is told.
    let compared: [String]

    /// - Parameters:
    ///   - sent: The fields that the caller sent, metadata left out.
    ///   - compared: The fields that the condition looks at.
    init(_ access: ModelAccess, _ mutation: Mutation, sent: some Sequence<String>, compared: some Sequence<String>) {
        self.access = access
        self.mutation = mutation
        let key = access.model.key
        written = sent.filter { mutation == .create || !key.contains($0) }.sorted()
        self.compared = compared.filter { !key.contains($0) && !Metadata.names.contains($0) }.sorted()
    }

    private var operation: AccessRule.Operation {
        switch mutation {
        case .create: .create
        case .update: .update
        case .delete: .delete
        }
    }

    // MARK: Before the record is looked at

    /// Refuses what the rules allow for no record.
    func check() throws(AccessRefusal) {
        try check { $0 != .nobody }
        try checkCondition { $0 != .nobody }
    }

    // MARK: With the record

    /// Refuses what the rules do not allow with the record that is stored; `nil` if there is none.
    func check(stored: Record?) throws(AccessRefusal) {
        guard mutation != .create else {
            // Nobody creates a record over one that is not theirs, also where only its tombstone is left.
            guard let stored else { return }
            let may = [AccessRule.Operation.create, .update, .delete].contains {
                access.permission($0).holds(for: stored)
            }
            guard may else { throw .operation }
            return
        }
        try check { $0.holds(for: stored) }
        try checkCondition { $0.holds(for: stored) }
    }

    /// Refuses a change that leaves `result` of `stored`.
    func check(result: Record, of stored: Record?) throws(AccessRefusal) {
        if mutation == .create { return try check { creates(result, $0) } }
        // The record is still one that the caller may change so.
        try check { $0.holds(for: result) }
        guard let stored else { return }
        for field in written where !access.mayChangeOwners(in: field, of: stored) {
            guard stored[field] == result[field] else { throw .operation }
        }
        for field in written where access.model.rules.hasOnlyOwner(field) && stored[field] != result[field] {
            guard mayHandOver(field, stored, result) else { throw .operation }
        }
    }

    /// Refuses a second asking for a change that was made, of a record that the caller may not change.
    func check(repeatedOn record: Record?) throws(AccessRefusal) {
        if mutation == .create { return try check(stored: record) }
        try check { $0.holds(for: record) }
    }

    /// Refuses what `holds` does not hold of: the permission for the record, and of each field with rules of its own.
    private func check(_ holds: (Permission) -> Bool) throws(AccessRefusal) {
        let mayWhole = holds(access.permission(operation))
        // A deletion takes all fields with it.
        let fields = mutation == .delete ? access.fieldsWithOwnRules : written
        let refused = fields.filter { !holds(access.permission(operation, field: $0)) }
        switch mutation {
        case .create, .delete:
            guard mayWhole else { throw .operation }
        case .update:
            // An update of fields with rules of their own needs those rules alone.
            guard mayWhole || (!written.isEmpty && refused.count < written.count) else { throw .operation }
        }
        guard refused.isEmpty else { throw .fields(refused) }
    }

    /// A condition tells something of the fields that it looks at, so they must be ones that the caller may read.
    private func checkCondition(_ holds: (Permission) -> Bool) throws(AccessRefusal) {
        let mayWhole = holds(access.permission(.get))
        // A new record has nothing yet that could be told.
        let refused = compared.filter { field in
            if mutation == .create { return access.permission(.get, field: field) == .nobody }
            return !mayWhole || !holds(access.permission(.get, field: field))
        }
        guard refused.isEmpty else { throw .fields(refused) }
    }

    /// Whether `permission` allows to create `record`: it names the caller, and no field for one owner was sent with
    /// somebody else in it.
    private func creates(_ record: Record, _ permission: Permission) -> Bool {
        guard case .records(let tests) = permission else { return permission == .everything }
        if tests.contains(where: { $0.role == .member && $0.holds(for: record) }) { return true }
        let owners = tests.filter { $0.role != .member }
        let sent = owners.filter { $0.role == .owner && written.contains($0.field) }
        let areOwn = sent.allSatisfy { test in
            owners.contains { $0.field == test.field && $0.holds(for: record) }
        }
        return areOwn && owners.contains { $0.holds(for: record) }
    }

    /// Whether the caller may change who is the only owner: with rights that do not come from being an owner, or from one
    /// name of the caller's to another.
    private func mayHandOver(_ field: String, _ stored: Record, _ result: Record) -> Bool {
        guard case .records(let tests) = access.permission(.update, field: field) else {
            return access.permission(.update, field: field) == .everything
        }
        let isMember = { (record: Record) in tests.contains { $0.role == .member && $0.holds(for: record) } }
        let isOwner = { (record: Record) in
            tests.contains { $0.role == .owner && $0.field == field && $0.holds(for: record) }
        }
        return (isMember(stored) && isMember(result)) || (isOwner(stored) && isOwner(result))
    }
}

extension AccessRules {
    /// Whether a rule says that the field holds a record's only owner.
    fileprivate func hasOnlyOwner(_ field: String) -> Bool {
        all.contains { rule in
            if case .owner(field, isList: false, _) = rule.subject { true } else { false }
        }
    }
}
