@_spi(Adapters) package import TidelogCore

/// A whole record that an operator imports. It has no caller and no base version, so it replaces the stored record.
///
/// Everything else is as with a mutation: the rules of the fields apply, the store counts the version, and the server's own
/// fields (the times of the record and implied owners) keep their values or get new ones, unless the input has them.
package struct ImportedRecord: Sendable {
    private let record: Record
    private let model: ModelAPI
    private let schema: ModelSchema
    /// The layout of records with their metadata.
    private let layout: ModelLayout
    private let now: FieldValue

    /// - Parameters:
    ///   - record: The values of the input, with the default values of the schema.
    ///   - layout: The layout of the model in the stored schema.
    package init(_ record: Record, of model: ModelAPI, layout: ModelLayout, at time: Temporal.DateTime) {
        precondition(record.model == model.name && layout.name == model.name, "all of them describe one model")
        (self.record, self.model, self.layout) = (record, model, layout)
        schema = layout.schema
        now = .dateTime(time)
    }

    /// The change of the stored record.
    package var change: RequestedChange {
        RequestedChange(model.name, RecordID(model.key.compactMap { record[$0] })) { stored in try decide(on: stored) }
    }

    /// Decides about the record. A stored record with the same values stays as it is.
    ///
    /// - Throws: ``DataStoreError`` with code `ruleBroken` if a new value breaks a rule of its field.
    private func decide(on stored: Record?) throws -> StoredChange.Decision {
        let present = stored.flatMap { $0.isTombstone ? nil : $0 }
        var result = record
        for name in [model.createdAt].compactMap({ $0 }) + model.impliedOwnerFields where result[name] == nil {
            result[name] = present?[name]
        }
        if let present {
            var same = result
            if let name = model.updatedAt, same[name] == nil { same[name] = present[name] }
            for name in Metadata.names { same[name] = present[name] }
            if try isStored(same, as: present) { return .keep }
        }
        try checkRules(result, present)
        for name in [model.createdAt, model.updatedAt].compactMap({ $0 }) where result[name] == nil {
            result[name] = MutationRequest.time(now, schema.field(named: name))
        }
        return .save(result)
    }

    /// Whether both records have the same bytes. Times with other texts are other values here.
    private func isStored(_ record: Record, as present: Record) throws -> Bool {
        guard record == present else { return false }
        return try EncodedRow(stored: record, layout: layout) == EncodedRow(stored: present, layout: layout)
    }

    private func checkRules(_ record: Record, _ present: Record?) throws {
        for (field, rules) in layout.row.ruledFields {
            // A value that the record has already breaks no rule, so that a record may be older than a rule.
            guard let value = record[field.name], value != present?[field.name],
                let rule = rules.first(where: { !$0.admits(value) })
            else { continue }
            var error = DataStoreError(
                .ruleBroken,
                "\(model.name).\(field.name) breaks the rule \(rule): \(rule.message(for: field.name))",
                model: model.name, recovery: "Give a value that follows the schema's rules.")
            error.field = field.name
            error.rule = rule
            throw error
        }
    }
}
