/// Decides whether a store may go on with another schema: only where no stored value is lost or becomes invalid.
enum SchemaChange {
    /// - Throws: ``DataStoreError`` with code `invalidSchema` that names what is refused; then nothing is changed.
    static func check(from old: Schema, to new: Schema) throws {
        for model in old.models {
            guard let next = new.model(named: model.name) else { throw refused("the model \(model.name) is gone") }
            guard next.primaryKey == model.primaryKey else {
                throw refused("the primary key of \(model.name) differs")
            }
            try check(model.fields, next.fields, of: model.name)
        }
        for type in old.embeddedTypes {
            guard let next = new.embeddedTypes.first(where: { $0.name == type.name }) else {
                throw refused("the type \(type.name) is gone")
            }
            try check(type.fields, next.fields, of: type.name)
        }
        for type in old.enums {
            let next = new.enums.first { $0.name == type.name }
            if let missing = type.cases.first(where: { next?.cases.contains($0) != true }) {
                throw refused("the case \(type.name).\(missing) is gone")
            }
        }
    }

    private static func check(_ old: [FieldSchema], _ new: [FieldSchema], of owner: String) throws {
        for field in old {
            guard let next = new.first(where: { $0.name == field.name }) else {
                throw refused("the field \(owner).\(field.name) is gone")
            }
            guard next.type == field.type else { throw refused("the type of \(owner).\(field.name) differs") }
            if next.isRequired, !field.isRequired { throw refused("\(owner).\(field.name) has become required") }
        }
        for field in new where !old.contains(where: { $0.name == field.name }) && field.isRequired {
            throw refused("the new field \(owner).\(field.name) is required")
        }
    }

    private static func refused(_ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidSchema, "The schema cannot replace the store's: \(reason).",
            recovery: "Keep what is stored: add optional fields, models, indexes and enum cases only.")
    }
}
