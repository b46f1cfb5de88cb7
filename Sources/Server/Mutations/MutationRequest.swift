internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution

/// A mutation that a request asks for. It does not change, so it is passed on as a reference.
final class MutationRequest: Sendable {
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
    let ruleBroken: String?

    /// - Parameters:
    ///   - schema: The model in `models`, the schema of the API.
    ///   - knowsNoVersions: Whether clients of the model may send no version and change any version.
    ///   - identifier: A new key, for a creation without one.
    init(
        _ mutation: Mutation, _ input: InputObject, of model: ModelAPI, _ schema: ModelSchema, in models: Schema,
        layout: ModelLayout, condition: RecordFilter, access: ModelAccess, knowsNoVersions: Bool,
        comparisons: ComparisonBudget, at time: Temporal.DateTime, identifier: () -> String
    ) throws(ResolverError) {
        precondition(model.name == schema.name && access.model.name == model.name, "all of them describe one model")
        self.comparisons = comparisons
        self.mutation = mutation
        self.model = model
        self.layout = layout
        self.condition = try condition.condition(on: layout)
        var sent: [String: FieldValue?] = [:]
        for member in input.members where !Metadata.names.contains(member.name) {
            guard let field = schema.field(named: member.name) else { continue }
            sent.updateValue(FieldValue(member.value, as: field.type, in: models), forKey: field.name)
        }
        self.access = ChangeAccess(
            access, mutation, sent: sent.keys, removed: sent.filter { $0.value == nil }.keys, compared: condition.fields
        )
        if mutation == .create {
            for owner in access.newOwners where sent[owner.field] == nil {
                guard let value = Self.owner(owner, schema.field(named: owner.field)?.type) else { continue }
                sent[owner.field] = value
            }
        }
        if case .int(let number)? = input[Metadata.version] { version = number } else { version = nil }
        isUnconditional = version == nil && knowsNoVersions
        let now = FieldValue.dateTime(time)
        // A key that the server makes is different each time, so the subject is made before.
        let key = model.key.compactMap { sent[$0] ?? nil }
        subject = MutationSubject.text(mutation, model.name, key: key)
        if mutation == .create {
            if model.key == ["id"], key.isEmpty { sent["id"] = .string(identifier()) }
            for name in [model.createdAt, model.updatedAt].compactMap({ $0 }) where sent[name] ?? nil == nil {
                sent[name] = Self.time(now, schema.field(named: name))
            }
        } else if mutation == .update, let name = model.updatedAt, sent[name] == nil {
            sent[name] = Self.time(now, schema.field(named: name))
        }
        id = RecordID(model.key.compactMap { sent[$0] ?? nil })
        var defaults: [String: FieldValue] = [:]
        for field in schema.fields { if let value = field.defaultValue { defaults[field.name] = value } }
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

    /// Whether `outcome` shows that a conflict was decided in favour of the change.
    func isOfConflict(_ outcome: StoredChange.Outcome) -> Bool {
        mutation != .create && !isUnconditional && outcome.kind == .written
            && outcome.record?.version != (version ?? 0) + 1
    }

    /// The current time as a value of a field that is declared as a text or as a time.
    static func time(_ now: FieldValue, _ field: FieldSchema?) -> FieldValue? {
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

    /// The stored record with the sent values.
    func applied(to stored: Record) -> Record {
        var record = stored
        for (name, value) in sent where !model.key.contains(name) { record[name] = value }
        return record
    }

    /// The record that a creation makes: the sent values, and the defaults of the fields that were not sent.
    var created: Record {
        assert(mutation == .create, "only a creation makes a record without a stored one")
        guard !defaults.isEmpty else { return Record(model: model.name, values: sent.compactMapValues { $0 }) }
        var values = defaults
        for (name, value) in sent { values[name] = value ?? defaults[name] }
        return Record(model: model.name, values: values)
    }

    /// The stored record with the sent values merged into it.
    func merged(into stored: Record) -> Record {
        assert(mutation == .update, "only an update is merged")
        var merging = sent
        for name in model.key { merging.removeValue(forKey: name) }
        let time = model.updatedAt.flatMap { merging.removeValue(forKey: $0) }
        var record = ConflictStrategy.AutoMerge.merge(merging, into: stored)
        if let name = model.updatedAt, let time { record[name] = time }
        return record
    }

    /// Whether `stored` is a record for the client. A client that knows no versions knows no tombstones either.
    func sees(_ stored: Record) -> Bool { !isUnconditional || !stored.isTombstone }

    /// Whether the change was made to another version than the stored one.
    func isStale(_ stored: Record) -> Bool { !isUnconditional && version != stored.version }

    /// Whether the condition holds for `record`, or for a record without values if it is `nil`.
    ///
    /// - Throws: An error if the request may not compare so much.
    func admits(_ record: Record?) throws -> Bool {
        if condition.passesAll { return true }
        let row = try record.map { try EncodedRow(stored: $0, layout: layout) } ?? .withoutValues
        return try condition.holds(for: row, within: comparisons)
    }
}
