/// The steps that are applied to every record of one model.
struct ModelTransformation {
    /// The model's number.
    let model: UInt32
    let steps: [Step]

    enum Step: Sendable {
        case renameModel(String)
        case renameField(String, to: String)
        case transform(SchemaMigration.Transformation)
    }

    /// Transforms `record` into a record of `target`.
    ///
    /// - Throws: any error of a transformation; and ``DataStoreError`` with code `invalidValue` if its result has a field that
    ///   the model does not have.
    func apply(to record: Record, as target: ModelLayout) throws -> Record {
        var record = record
        var added = Set<String>()
        for step in steps {
            switch step {
            case .renameModel(let name): record = Record(model: name, values: record.values)
            case .renameField(let old, let new): record.values[new] = record.values.removeValue(forKey: old)
            case .transform(let body):
                let old = record
                try body(old, &record)
                added = Set(record.values.keys).subtracting(old.values.keys)
            }
        }
        // Fields that the schema no longer has are dropped without an error, unless the last transformation added them.
        record = Record(
            model: target.name,
            values: record.values.filter { name, _ in added.contains(name) || target.row.field(named: name) != nil })
        for field in target.row.fields where field.embedded != nil {
            record[field.name] = record[field.name]?.pruned(to: field.embedded)
        }
        return record
    }
}

extension FieldValue {
    /// The value without the fields that the embedded type `layout` does not have. The value may also be a list of that type.
    fileprivate func pruned(to layout: RowLayout?) -> FieldValue {
        guard let layout else { return self }
        switch self {
        case .embedded(let values):
            var kept: [String: FieldValue] = [:]
            for field in layout.fields { kept[field.name] = values[field.name]?.pruned(to: field.embedded) }
            return .embedded(kept)
        case .list(let values): return .list(values.map { $0?.pruned(to: layout) })
        default: return self
        }
    }
}
