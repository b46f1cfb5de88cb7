internal import Synchronization

/// The layouts of Swift types: for each type that was checked, its model, or a view of the model with the type's fields.
final class TypedLayouts: Sendable {
    private let layouts = Mutex<[ObjectIdentifier: ModelLayout]>([:])

    @inline(__always)
    func layout<Value: Model>(of type: Value.Type, in schema: SchemaLayout) throws -> ModelLayout {
        if let layout = layouts.withLock({ $0[ObjectIdentifier(type)] }) { return layout }
        return try resolve(type, in: schema)
    }

    @inline(never)
    private func resolve<Value: Model>(_ type: Value.Type, in schema: SchemaLayout) throws -> ModelLayout {
        let declared = Value.schema
        var layout = try schema.required(declared.name)
        let names = Set(declared.fields.map(\.name))
        // Fields that only the store has were declared by an earlier or a different build of the code.
        let isKnown =
            declared.primaryKey == layout.schema.primaryKey
            && declared.fields.allSatisfy { field in
                guard let stored = layout.schema.field(named: field.name) else { return false }
                return stored.type == field.type && stored.isRequired == field.isRequired
            } && layout.schema.fields.allSatisfy { names.contains($0.name) || $0.mayBeLeftOut }
        guard isKnown else {
            throw DataStoreError(
                .invalidSchema, "The type \(type) has other fields than the model \(declared.name) of the store.",
                model: declared.name, recovery: "Open the store with the schema that the type belongs to.")
        }
        if layout.codeRow != nil || declared.fields.map(\.name) != layout.schema.fields.map(\.name) {
            layout = schema.view(of: layout, fields: declared.fields)
        }
        layouts.withLock { $0[ObjectIdentifier(type)] = layout }
        return layout
    }
}

extension SchemaLayout {
    /// The layout of the model of `type`.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`, or `invalidSchema` if the type's fields do not fit the store's
    ///   model.
    @inline(__always)
    package func model<Value: Model>(of type: Value.Type) throws -> ModelLayout {
        try typed.layout(of: type, in: self)
    }
}
