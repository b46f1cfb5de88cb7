extension StoreTransaction {
    /// Checks the row of the staged event at `index` against the rules of its fields. The event is the last one.
    ///
    /// A value that the record has already breaks no rule. So a record that is older than a rule can be saved again.
    ///
    /// - Throws: ``DataStoreError`` with code `ruleBroken`. The event is then no longer staged.
    @inline(never)
    func checkRules(at index: Int, _ model: ModelLayout) throws {
        assert(index == staged.count - 1, "the rules of an event are checked when it was just staged")
        guard checksRules, let row = try staged.row(at: index) else { return }
        do {
            for (field, rules) in model.row.ruledFields {
                guard let value = try row.value(field.slot),
                    let rule = try rules.first(where: { try !$0.admits(value, of: field) }),
                    try !isPresent(value, in: field, before: index, model)
                else { continue }
                throw broken(rule, field, model, id: try? model.recordID(of: row))
            }
        } catch {
            staged.truncate(to: index)
            throw error
        }
    }

    /// Whether the record had `value` in `field` before the event at `index`.
    private func isPresent(
        _ value: UnsafeRawBufferPointer, in field: FieldLayout, before index: Int, _ model: ModelLayout
    ) throws -> Bool {
        let prior = Int(staged.events[index].prior)
        let row = try prior >= 0 ? staged.row(at: prior) : rows.get(staged.key(at: index), in: model)?.row
        guard let present = try row?.value(field.slot) else { return false }
        return ByteComparison.order(present, value) == 0
    }

    private func broken(
        _ rule: ValidationRule, _ field: FieldLayout, _ model: ModelLayout, id: RecordID?
    ) -> DataStoreError {
        var error = DataStoreError(
            .ruleBroken, "\(model.name).\(field.name) breaks the rule \(rule): \(rule.message(for: field.name))",
            model: model.name, recordID: id, recovery: "Give a value that follows the schema's rules.")
        error.field = field.name
        error.rule = rule
        return error
    }
}

extension ValidationRule {
    /// Whether the stored `value` of `field` follows the rule.
    fileprivate func admits(_ value: UnsafeRawBufferPointer, of field: FieldLayout) throws(RowDamage) -> Bool {
        switch field.kind {
        case .string: admits(text: value)
        case .int: admits(.int(try RowView.int(value)))
        case .double: admits(.double(try RowView.double(value)))
        default: true
        }
    }
}
