internal import Synchronization

/// Which model of a layout each Swift type is, once that was checked.
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
        let layout = try schema.required(declared.name)
        let isSame =
            declared.primaryKey == layout.schema.primaryKey
            && declared.fields.elementsEqual(layout.schema.fields) {
                $0.name == $1.name && $0.type == $1.type && $0.isRequired == $1.isRequired
            }
        guard isSame else {
            throw DataStoreError(
                .invalidSchema, "The type \(type) has other fields than the model \(declared.name) of the store.",
                model: declared.name, recovery: "Open the store with the schema that the type belongs to.")
        }
        layouts.withLock { $0[ObjectIdentifier(type)] = layout }
        return layout
    }
}

extension SchemaLayout {
    /// The layout of the model that `type` is.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` where the type has other fields than the store.
    @inline(__always)
    package func model<Value: Model>(of type: Value.Type) throws -> ModelLayout {
        try typed.layout(of: type, in: self)
    }
}
