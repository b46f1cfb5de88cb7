/// The encoding of a ``StoredSchema`` (FORMATS, section 6). It is the payload of `schemaChanged`.
package enum SchemaCoding {
    static let format: UInt32 = 2
    /// The oldest format that can be read. It has no migrations, and associations have no directives or descriptions.
    static let oldestFormat: UInt32 = 1

    /// The flags of a field.
    enum FieldFlags {
        static let isRequired: UInt8 = 1
        static let isReadOnly: UInt8 = 2
    }

    /// The first byte of a field's type.
    enum TypeTag: UInt8 {
        case id = 1
        case string, int, double, bool, enumeration, date, time, dateTime, timestamp, embedded, list
    }

    /// The first byte of an optional value.
    enum ValueTag: UInt8 {
        case none, string, int, double, bool, date, time, dateTime, embedded, list
    }

    /// Encodes `schema`. The same schema always has the same bytes.
    package static func encode(_ schema: StoredSchema) -> [UInt8] {
        var writer = SchemaWriter()
        writer.write(schema)
        assert(
            writer.bytes.withUnsafeBytes { (try? decode($0)) ?? schema } == schema,
            "the bytes of a valid schema decode to the same schema")
        return writer.bytes
    }

    /// Decodes the schema in `bytes`.
    ///
    /// - Throws: ``DataStoreError`` with code `newerFormat` if a newer version wrote the bytes, or with code `damaged` if they
    ///   cannot be decoded or the decoded schema is not valid.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws -> StoredSchema {
        var reader = SchemaReader(bytes)
        do {
            let schema = try reader.storedSchema()
            guard reader.isAtEnd else { throw Damage("bytes follow it") }
            try schema.checkNumbers()
            try schema.declared.validateForm()
            return schema
        } catch let damage as Damage {
            throw damaged(damage.reason, nil)
        } catch let error as DataStoreError where error.code == .invalidSchema {
            throw damaged("it is not usable", error)
        }
    }

    private static func damaged(_ reason: String, _ underlying: (any Error)?) -> DataStoreError {
        DataStoreError(
            .damaged, "A stored schema does not decode: \(reason).", underlying: underlying,
            recovery: "Verify the store, and restore it from a backup or salvage its good events.")
    }

    /// The reason why bytes are not a schema.
    struct Damage: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

extension StoredSchema {
    /// Checks that every declared item has its own number.
    fileprivate func checkNumbers() throws(SchemaCoding.Damage) {
        guard version > 0 else { throw SchemaCoding.Damage("its version is 0") }
        try Self.check(modelNumbers, declared.models.map(\.name))
        for model in declared.models {
            try Self.check(fieldNumbers[model.name] ?? [:], model.fields.map(\.name))
            try Self.check(indexNumbers[model.name] ?? [:], model.indexes.map(\.name))
        }
        for type in declared.embeddedTypes { try Self.check(fieldNumbers[type.name] ?? [:], type.fields.map(\.name)) }
    }

    private static func check<Number>(_ numbers: [String: Number], _ names: [String]) throws(SchemaCoding.Damage) {
        guard names.allSatisfy({ numbers[$0] != nil }) else {
            throw SchemaCoding.Damage("something declared has no number")
        }
    }
}
