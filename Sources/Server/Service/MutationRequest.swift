internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution

/// A mutation that a request asks for.
struct MutationRequest: Sendable {
    let mutation: Mutation
    let model: ModelAPI
    let id: RecordID
    /// The sent values, without the metadata. A sent null is `nil`.
    let sent: [String: FieldValue?]
    /// The version that was sent; `nil` if none was.
    let version: Int64?
    /// Whether the change is made to any version of the stored record.
    private let isUnconditional: Bool
    private let condition: RecordFilter.Condition
    private let layout: ModelLayout
    /// The budget for the comparisons of the condition.
    private let comparisons: ComparisonBudget
    /// The access check of the change.
    let access: ChangeAccess
    /// The subject of the mutation. A mutation that is sent again has the same id and the same subject.
    let subject: String
    private let defaults: [String: FieldValue]
    /// The message of the first rule that a sent value breaks; `nil` if there is none.
    private let ruleBroken: String?

    init(
        _ mutation: Mutation, _ input: InputObject, model: ModelAPI, schema: ModelSchema, condition: RecordFilter,
        service: Service, access: ModelAccess, comparisons: ComparisonBudget
    ) throws(ResolverError) {
        self.comparisons = comparisons
        self.mutation = mutation
        self.model = model
        layout = try service.layout(of: model.name)
        self.condition = try condition.condition(on: layout)
        var sent: [String: FieldValue?] = [:]
        for member in input.members where !Metadata.names.contains(member.name) {
            guard let field = schema.field(named: member.name) else { continue }
            sent.updateValue(FieldValue(member.value, as: field.type, in: service.api.schema), forKey: field.name)
        }
        self.access = ChangeAccess(access, mutation, sent: sent.keys, compared: condition.fields)
        if mutation == .create {
            for owner in access.newOwners where sent[owner.field] == nil {
                guard let value = Self.owner(owner, schema.field(named: owner.field)?.type) else { continue }
                sent[owner.field] = value
            }
        }
        if case .int(let number)? = input[Metadata.version] { version = number } else { version = nil }
        isUnconditional = version == nil && service.options.hasClientsWithoutVersions(of: model.name)
        let now = FieldValue.dateTime(service.dateTime)
        // A key that the server makes is different each time, so the subject is made before.
        let key = model.key.compactMap { sent[$0] ?? nil }
        subject = MutationSubject.text(mutation, model.name, key: key)
        if mutation == .create {
            if model.key == ["id"], key.isEmpty { sent["id"] = .string(service.identifier) }
            for name in [model.createdAt, model.updatedAt].compactMap({ $0 }) where sent[name] ?? nil == nil {
                sent[name] = Self.time(now, schema.field(named: name))
            }
        } else if mutation == .update, let name = model.updatedAt, sent[name] == nil {
            sent[name] = Self.time(now, schema.field(named: name))
        }
        id = RecordID(model.key.compactMap { sent[$0] ?? nil })
        var defaults: [String: FieldValue] = [:]
        for field in schema.fields { defaults[field.name] = field.defaultValue }
        self.defaults = defaults
        self.sent = sent
        // Patterns are matched here and not while the store is being changed, because long texts take some time.
        ruleBroken = mutation == .delete ? nil : Self.ruleBroken(by: sent, mutation == .create ? defaults : [:], layout)
    }

    /// The message of the first rule of the model that a value breaks. A value that is not sent is the one in `defaults`.
    private static func ruleBroken(
        by sent: [String: FieldValue?], _ defaults: [String: FieldValue], _ model: ModelLayout
    ) -> String? {
        for (field, rules) in model.row.ruledFields {
            guard let value = (sent[field.name] ?? nil) ?? defaults[field.name] else { continue }
            if let rule = rules.first(where: { !$0.admits(value) }) { return rule.message(for: field.name) }
        }
        return nil
    }

    /// The outcome of the change, for the log.
    func report(_ outcome: StoredChange.Outcome) -> RequestReport.FieldReport.Change {
        let isOfConflict =
            mutation != .create && !isUnconditional && outcome.kind == .written
            && outcome.record?.version != (version ?? 0) + 1
        return RequestReport.FieldReport.Change(kind: outcome.kind, isOfConflict: isOfConflict)
    }

    /// The current time as a value of a field that is declared as a text or as a time.
    private static func time(_ now: FieldValue, _ field: FieldSchema?) -> FieldValue? {
        switch field?.type {
        case .dateTime?: now
        case .string?: now.text.map { .string($0) }
        default: nil
        }
    }

    /// The first value of an owner field of this type.
    private static func owner(_ owner: ModelAccess.NewOwner, _ type: FieldType?) -> FieldValue? {
        switch type {
        case .string?, .id?: .string(owner.name)
        case .list(.string, _)?, .list(.id, _)?: .list([.string(owner.name)])
        default: nil
        }
    }

    /// Decides how to change the record `stored`.
    ///
    /// - Parameter answer: The answer of the conflict handler, if it was asked.
    /// - Throws: ``Permission.Refusal``, which is checked first; ``ChangeRefusal``; ``Service.UndecidedConflict`` if a handler
    ///   must be asked.
    func decide(
        _ stored: Record?, strategy: ConflictStrategy, answer: Service.ConflictAnswer?, keepsTombstones: Bool
    ) throws -> StoredChange.Decision {
        try access.check(stored: stored)
        if let ruleBroken { throw ChangeRefusal.ruleBroken(ruleBroken) }
        switch mutation {
        case .create: return try create(stored, keepsTombstones)
        case .update: return try update(stored, strategy, answer)
        case .delete: return try delete(stored, strategy, answer)
        }
    }

    /// The stored record with the sent values.
    func applied(to stored: Record) -> Record {
        var record = stored
        for (name, value) in sent where !model.key.contains(name) { record[name] = value }
        return record
    }

    private func create(_ stored: Record?, _ keepsTombstones: Bool) throws -> StoredChange.Decision {
        var values = defaults
        for (name, value) in sent { values[name] = value ?? defaults[name] }
        let record = Record(model: model.name, values: values)
        try access.check(result: record, of: stored)
        if let stored, keepsTombstones || !stored.isTombstone { throw ChangeRefusal.conditionFailed(stored) }
        try checkCondition(on: nil)
        return .save(record)
    }

    private func update(
        _ stored: Record?, _ strategy: ConflictStrategy, _ answer: Service.ConflictAnswer?
    ) throws -> StoredChange.Decision {
        guard let stored, isThere(stored) else { throw ChangeRefusal.conditionFailed(nil) }
        // An update does not restore a deleted record.
        if stored.isTombstone { return .keep }
        let isStale = isStale(stored)
        let result = if isStale, case .autoMerge = strategy { merged(into: stored) } else { applied(to: stored) }
        // The access check comes first, so that a conflict handler is only asked about changes that the caller may make.
        try access.check(result: result, of: stored)
        var decision = StoredChange.Decision.save(result)
        if isStale {
            decision =
                switch strategy {
                case .optimistic, .unconditional: throw ChangeRefusal.conflict(stored)
                case .autoMerge: decision
                case .custom: try Self.decision(answer, on: stored)
                }
        }
        try checkCondition(on: stored)
        return decision
    }

    /// Whether `stored` is a record for the client. A client that knows no versions knows no tombstones either.
    private func isThere(_ stored: Record) -> Bool { !isUnconditional || !stored.isTombstone }

    /// Whether the change was made to another version than the stored one.
    private func isStale(_ stored: Record) -> Bool { !isUnconditional && version != stored.version }

    /// Checks the condition on `record`, or on a record without values if it is `nil`.
    private func checkCondition(on record: Record?) throws {
        if condition.passesAll { return }
        let row = try record.map { try EncodedRow(stored: $0, layout: layout) } ?? .withoutValues
        guard try condition.holds(for: row, within: comparisons) else { throw ChangeRefusal.conditionFailed(record) }
    }

    private func merged(into stored: Record) -> Record {
        var merging = sent
        for name in model.key { merging.removeValue(forKey: name) }
        let time = model.updatedAt.flatMap { merging.removeValue(forKey: $0) }
        var record = ConflictStrategy.AutoMerge.merge(merging, into: stored)
        if let name = model.updatedAt, let time { record[name] = time }
        return record
    }

    private func delete(
        _ stored: Record?, _ strategy: ConflictStrategy, _ answer: Service.ConflictAnswer?
    ) throws -> StoredChange.Decision {
        guard let stored, isThere(stored) else { throw ChangeRefusal.conditionFailed(nil) }
        if stored.isTombstone { return .keep }
        var decision = StoredChange.Decision.delete(stored)
        if isStale(stored) {
            guard case .custom = strategy else { throw ChangeRefusal.conflict(stored) }
            decision = try Self.decision(answer, on: stored)
        }
        try checkCondition(on: stored)
        return decision
    }

    /// The decision of the conflict handler on `stored`. An answer about another version of the record does not count.
    private static func decision(_ answer: Service.ConflictAnswer?, on stored: Record) throws -> StoredChange.Decision {
        guard let answer, answer.stored == stored else { throw Service.UndecidedConflict(stored: stored) }
        guard let decision = answer.decision else { throw ChangeRefusal.conflict(stored) }
        return decision
    }
}
