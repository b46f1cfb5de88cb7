/// Writes the parts of an encoded schema (FORMATS, section 6).
struct SchemaWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ schema: StoredSchema) {
        number(SchemaCoding.format)
        number(schema.version)
        counted(schema.declared.models) { $0.write($1) }
        counted(schema.declared.embeddedTypes) { writer, type in
            writer.text(type.name)
            writer.counted(type.fields) { $0.write($1) }
            writer.optional(type.documentation)
        }
        counted(schema.declared.enums) { writer, type in
            writer.text(type.name)
            writer.texts(type.cases)
            writer.optional(type.documentation)
        }
        numbers(schema.modelNumbers)
        numberTables(schema.fieldNumbers)
        numberTables(schema.indexNumbers)
        texts(schema.migrations)
    }

    private mutating func write(_ model: ModelSchema) {
        text(model.name)
        counted(model.fields) { $0.write($1) }
        texts(model.primaryKey)
        counted(model.indexes) { writer, index in
            writer.text(index.name)
            writer.texts(index.fields)
            writer.optional(index.queryField)
        }
        counted(model.associations) { $0.write($1) }
        texts(model.directives)
        optional(model.documentation)
    }

    private mutating func write(_ association: Association) {
        text(association.name)
        let kind: UInt8 =
            switch association.kind {
            case .hasOne: 1
            case .hasMany: 2
            case .belongsTo: 3
            case .manyToMany: 4
            }
        bytes.append(kind)
        text(association.target)
        texts(association.fields)
        optional(association.indexOrRelationName)
        flag(association.isRequired)
        flag(association.limit != nil)
        if let limit = association.limit { number(limit) }
        texts(association.directives)
        optional(association.documentation)
    }

    private mutating func write(_ field: FieldSchema) {
        text(field.name)
        write(field.type)
        bytes.append(
            (field.isRequired ? SchemaCoding.FieldFlags.isRequired : 0)
                | (field.isReadOnly ? SchemaCoding.FieldFlags.isReadOnly : 0))
        write(field.defaultValue)
        texts(field.directives)
        optional(field.scalar)
        optional(field.documentation)
    }

    private mutating func write(_ type: FieldType) {
        switch type {
        case .id: typeTag(.id)
        case .string: typeTag(.string)
        case .int: typeTag(.int)
        case .double: typeTag(.double)
        case .bool: typeTag(.bool)
        case .enumeration(let name):
            typeTag(.enumeration)
            text(name)
        case .date: typeTag(.date)
        case .time: typeTag(.time)
        case .dateTime: typeTag(.dateTime)
        case .timestamp: typeTag(.timestamp)
        case .embedded(let name):
            typeTag(.embedded)
            text(name)
        case .list(let element, let elementIsRequired):
            typeTag(.list)
            flag(elementIsRequired)
            write(element)
        }
    }

    private mutating func write(_ value: FieldValue?) {
        switch value {
        case nil: valueTag(.none)
        case .string(let value)?:
            valueTag(.string)
            text(value)
        case .int(let value)?:
            valueTag(.int)
            number(value)
        case .double(let value)?:
            valueTag(.double)
            number(value.bitPattern)
        case .bool(let value)?:
            valueTag(.bool)
            flag(value)
        case .date(let value)?:
            valueTag(.date)
            temporal(value)
        case .time(let value)?:
            valueTag(.time)
            temporal(value)
        case .dateTime(let value)?:
            valueTag(.dateTime)
            temporal(value)
        case .embedded(let values)?:
            valueTag(.embedded)
            counted(values.sorted { Self.precedes($0.key, $1.key) }) { writer, entry in
                writer.text(entry.key)
                writer.write(entry.value)
            }
        case .list(let values)?:
            valueTag(.list)
            counted(values) { $0.write($1) }
        }
    }

    private mutating func temporal(_ value: some TemporalText) {
        number(value.instant.seconds)
        number(value.instant.nanoseconds)
        text(value.text)
    }

    private mutating func numberTables(_ tables: [String: [String: UInt16]]) {
        counted(tables.sorted { Self.precedes($0.key, $1.key) }) { writer, table in
            writer.text(table.key)
            writer.numbers(table.value)
        }
    }

    private mutating func numbers<Number: FixedWidthInteger>(_ numbers: [String: Number]) {
        counted(numbers.sorted { $0.value < $1.value }) { writer, entry in
            writer.text(entry.key)
            writer.number(entry.value)
        }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private mutating func typeTag(_ tag: SchemaCoding.TypeTag) { bytes.append(tag.rawValue) }

    private mutating func valueTag(_ tag: SchemaCoding.ValueTag) { bytes.append(tag.rawValue) }

    private mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    private mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        bytes.append(littleEndian: value)
    }

    private mutating func text(_ value: String) {
        number(UInt32(value.utf8.count))
        bytes += value.utf8
    }

    private mutating func optional(_ value: String?) {
        flag(value != nil)
        if let value { text(value) }
    }

    private mutating func texts(_ values: [String]) { counted(values) { $0.text($1) } }

    private mutating func counted<Value>(_ values: [Value], _ body: (inout SchemaWriter, Value) -> Void) {
        number(UInt32(values.count))
        for value in values { body(&self, value) }
    }
}
