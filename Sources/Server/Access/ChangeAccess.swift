internal import TidelogAgreement
internal import TidelogCore

/// The access check for one change that a caller requests.
struct ChangeAccess: Sendable {
    let access: ModelAccess
    let mutation: Mutation
    /// The fields that the caller sent. For updates and deletions, the key is left out, because it only identifies the record.
    let written: [String]
    /// The fields for which the caller sent null, without the key.
    let removed: [String]
    /// The fields that the condition compares. The key and the metadata are left out, because a caller who changes a record may
    /// read them.
    let compared: [String]

    /// - Parameters:
    ///   - sent: The fields that the caller sent, without the metadata.
    ///   - removed: The fields for which the caller sent null.
    ///   - compared: The fields that the condition compares.
    init(
        _ access: ModelAccess, _ mutation: Mutation, sent: some Sequence<String>, removed: some Sequence<String>,
        compared: some Sequence<String>
    ) {
        self.access = access
        self.mutation = mutation
        let key = access.model.key
        written = sent.filter { mutation == .create || !key.contains($0) }.sorted()
        self.removed = removed.filter { !key.contains($0) }.sorted()
        self.compared = compared.filter { !key.contains($0) && !Metadata.names.contains($0) }.sorted()
    }

    private var operation: AccessRule.Operation {
        switch mutation {
        case .create: .create
        case .update: .update
        case .delete: .delete
        }
    }

    // MARK: Before the record is read

    /// Refuses a change that the rules allow for no record.
    func check() throws(Permission.Refusal) {
        try check { $0 != .nobody }
        try checkCondition { $0 != .nobody }
    }

    // MARK: With the record

    /// Refuses a change that the rules do not allow for the stored record. `stored` is `nil` if there is no such record.
    func check(stored: Record?) throws(Permission.Refusal) {
        guard mutation != .create else {
            // A caller must not create a record in place of another caller's record, even if only its tombstone is left.
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

    /// Refuses an update that removes values of fields which the caller may not delete.
    func check(removalsFrom stored: Record?) throws(Permission.Refusal) {
        let refused = removed.filter { !access.permission(.delete, field: $0).holds(for: stored) }
        guard refused.isEmpty else { throw .fields(refused) }
    }

    /// Refuses a change of `stored` to `result` if the rules do not allow it.
    func check(result: Record, of stored: Record?) throws(Permission.Refusal) {
        if mutation == .create { return try check { creates(result, $0) } }
        // The caller must also be allowed to update the record after this change.
        try check { $0.holds(for: result) }
        guard let stored else { return }
        for field in written where !access.mayChangeOwners(in: field, of: stored) {
            guard stored[field] == result[field] else { throw .operation }
        }
        for field in written where access.model.rules.hasOnlyOwner(field) && stored[field] != result[field] {
            guard mayHandOver(field, stored, result) else { throw .operation }
        }
    }

    /// Refuses to repeat the response to a change that was already made, if the caller may not change the record.
    func check(repeatedOn record: Record?) throws(Permission.Refusal) {
        if mutation == .create { return try check(stored: record) }
        try check { $0.holds(for: record) }
    }

    /// Refuses the change if `holds` is false for the permission on the record, or for the permission on a field with its own
    /// rules.
    private func check(_ holds: (Permission) -> Bool) throws(Permission.Refusal) {
        let mayWhole = holds(access.permission(operation))
        // A deletion removes all fields, so the rules of every field apply.
        let fields = mutation == .delete ? access.fieldsWithOwnRules : written
        let refused = fields.filter { !holds(access.permission(operation, field: $0)) }
        switch mutation {
        case .create, .delete:
            guard mayWhole else { throw .operation }
        case .update:
            // An update of only fields with their own rules needs only the permissions of those rules.
            guard mayWhole || (!written.isEmpty && refused.count < written.count) else { throw .operation }
        }
        guard refused.isEmpty else { throw .fields(refused) }
    }

    /// Refuses a condition on fields that the caller may not read, because its result would reveal something about them.
    private func checkCondition(_ holds: (Permission) -> Bool) throws(Permission.Refusal) {
        let mayWhole = holds(access.permission(.get))
        // A new record has no values yet that a condition could reveal.
        let refused = compared.filter { field in
            if mutation == .create { return access.permission(.get, field: field) == .nobody }
            return !mayWhole || !holds(access.permission(.get, field: field))
        }
        guard refused.isEmpty else { throw .fields(refused) }
    }

    /// Whether `permission` allows the caller to create `record`. The record must name the caller, and a field for one owner
    /// must not have been sent with the name of another owner.
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

    /// Whether the caller may replace the only owner of a record. Two cases are allowed: the caller has the right as a member
    /// of a group, or both the old and the new name are the caller's.
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
    /// Whether a rule says that the field holds the only owner of a record.
    fileprivate func hasOnlyOwner(_ field: String) -> Bool {
        all.contains { rule in
            if case .owner(field, isList: false, _) = rule.subject { true } else { false }
        }
    }
}
