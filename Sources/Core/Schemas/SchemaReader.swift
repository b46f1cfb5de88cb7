/// Reads the parts of an encoded schema (FORMATS, section 6). Every access is checked against the end of the bytes.
struct SchemaReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var format = SchemaCoding.format

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func storedSchema() throws -> StoredSchema {
        format = try number(UInt32.self)
        guard format <= SchemaCoding.format else {
            throw DataStoreError(
                .newerFormat, "A stored schema has format \(format); this version knows \(SchemaCoding.format).",
                recovery: "Open the store with the version that wrote it, or a later one.")
        }
        guard format >= SchemaCoding.oldestFormat else { throw SchemaCoding.Damage("its format is \(format)") }
        let version = try number(UInt32.self)
        let models = try counted { (reader) throws(SchemaCoding.Damage) in try reader.model() }
        let embeddedTypes = try counted { (reader) throws(SchemaCoding.Damage) in
            EmbeddedSchema(
                name: try reader.text(), fields: try reader.fields(), documentation: try reader.optionalText())
        }
        let enums = try counted { (reader) throws(SchemaCoding.Damage) in
            EnumSchema(name: try reader.text(), cases: try reader.texts(), documentation: try reader.optionalText())
        }
        return StoredSchema(
            version: version, declared: Schema(models: models, embeddedTypes: embeddedTypes, enums: enums),
            modelNumbers: try numbers(), fieldNumbers: try numberTables(), indexNumbers: try numberTables(),
            migrations: format == 1 ? [] : try texts())
    }

    private mutating func model() throws(SchemaCoding.Damage) -> ModelSchema {
        ModelSchema(
            name: try text(), fields: try fields(), primaryKey: try texts(),
            indexes: try counted { (reader) throws(SchemaCoding.Damage) in
                IndexSchema(name: try reader.text(), fields: try reader.texts(), queryField: try reader.optionalText())
            },
            associations: try counted { (reader) throws(SchemaCoding.Damage) in try reader.association() },
            directives: try texts(), documentation: try optionalText())
    }

    private mutating func association() throws(SchemaCoding.Damage) -> Association {
        let name = try text()
        let kind: Association.Kind
        switch try number(UInt8.self) {
        case 1: kind = .hasOne
        case 2: kind = .hasMany
        case 3: kind = .belongsTo
        case 4: kind = .manyToMany
        default: throw SchemaCoding.Damage("an association has no known kind")
        }
        return Association(
            name: name, kind: kind, target: try text(), fields: try texts(), indexOrRelationName: try optionalText(),
            isRequired: try flag(), limit: try flag() ? try number(UInt32.self) : nil,
            directives: format == 1 ? [] : try texts(), documentation: format == 1 ? nil : try optionalText())
    }

    private mutating func fields() throws(SchemaCoding.Damage) -> [FieldSchema] {
        try counted { (reader) throws(SchemaCoding.Damage) in
            let name = try reader.text()
            let type = try reader.type(depth: 1)
            let flags = try reader.number(UInt8.self)
            guard flags & ~(SchemaCoding.FieldFlags.isRequired | SchemaCoding.FieldFlags.isReadOnly) == 0 else {
                throw SchemaCoding.Damage("a field has unknown flags")
            }
            return FieldSchema(
                name, type, isRequired: flags & SchemaCoding.FieldFlags.isRequired != 0,
                isReadOnly: flags & SchemaCoding.FieldFlags.isReadOnly != 0,
                defaultValue: try reader.value(depth: 0), directives: try reader.texts(),
                scalar: try reader.optionalText(), documentation: try reader.optionalText())
        }
    }

    private mutating func type(depth: Int) throws(SchemaCoding.Damage) -> FieldType {
        guard depth <= Limits.nestingDepth else { throw SchemaCoding.Damage("a type nests too deep") }
        switch SchemaCoding.TypeTag(rawValue: try number(UInt8.self)) {
        case .id: return .id
        case .string: return .string
        case .int: return .int
        case .double: return .double
        case .bool: return .bool
        case .enumeration: return .enumeration(try text())
        case .date: return .date
        case .time: return .time
        case .dateTime: return .dateTime
        case .timestamp: return .timestamp
        case .embedded: return .embedded(try text())
        case .list:
            let elementIsRequired = try flag()
            return .list(try type(depth: depth + 1), elementIsRequired: elementIsRequired)
        case nil: throw SchemaCoding.Damage("a field has no known type")
        }
    }

    private mutating func value(depth: Int) throws(SchemaCoding.Damage) -> FieldValue? {
        guard depth <= Limits.nestingDepth else { throw SchemaCoding.Damage("a value nests too deep") }
        switch SchemaCoding.ValueTag(rawValue: try number(UInt8.self)) {
        case .none?: return FieldValue?.none
        case .string: return .string(try text())
        case .int: return .int(try number(Int64.self))
        case .double: return .double(Double(bitPattern: try number(UInt64.self)))
        case .bool: return .bool(try flag())
        case .date: return .date(try temporal(Temporal.Date.self))
        case .time: return .time(try temporal(Temporal.Time.self))
        case .dateTime: return .dateTime(try temporal(Temporal.DateTime.self))
        case .embedded:
            let count = try count()
            var values: [String: FieldValue] = [:]
            for _ in 0..<count {
                let name = try text()
                guard let value = try value(depth: depth + 1) else { throw SchemaCoding.Damage("a value is missing") }
                guard values.updateValue(value, forKey: name) == nil else {
                    throw SchemaCoding.Damage("a name is repeated")
                }
            }
            return .embedded(values)
        case .list:
            return .list(try counted { (reader) throws(SchemaCoding.Damage) in try reader.value(depth: depth + 1) })
        case nil: throw SchemaCoding.Damage("a value has no known type")
        }
    }

    private mutating func temporal<Value: TemporalText>(_ type: Value.Type) throws(SchemaCoding.Damage) -> Value {
        let seconds = try number(Int64.self)
        let nanoseconds = try number(Int32.self)
        guard (0..<1_000_000_000).contains(nanoseconds) else {
            throw SchemaCoding.Damage("nanoseconds are out of range")
        }
        return Value(uncheckedText: try text(), instant: Temporal.Instant(seconds: seconds, nanoseconds: nanoseconds))
    }

    private mutating func numberTables() throws(SchemaCoding.Damage) -> [String: [String: UInt16]] {
        var tables: [String: [String: UInt16]] = [:]
        for _ in 0..<(try count()) {
            let name = try text()
            guard tables.updateValue(try numbers(), forKey: name) == nil else {
                throw SchemaCoding.Damage("a type is numbered twice")
            }
        }
        return tables
    }

    private mutating func numbers<Number: FixedWidthInteger>() throws(SchemaCoding.Damage) -> [String: Number] {
        var numbers: [String: Number] = [:]
        var last: Number = 0
        for _ in 0..<(try count()) {
            let name = try text()
            let number = try number(Number.self)
            guard number > last else { throw SchemaCoding.Damage("numbers do not ascend from 1") }
            last = number
            guard numbers.updateValue(number, forKey: name) == nil else {
                throw SchemaCoding.Damage("a name is repeated")
            }
        }
        return numbers
    }

    private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(SchemaCoding.Damage) -> Number {
        let byteCount = Number.bitWidth / 8
        guard let base = bytes.baseAddress, bytes.count - position >= byteCount else {
            throw SchemaCoding.Damage("it is cut")
        }
        defer { position += byteCount }
        return Number(littleEndian: base.loadUnaligned(fromByteOffset: position, as: type))
    }

    private mutating func flag() throws(SchemaCoding.Damage) -> Bool {
        switch try number(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw SchemaCoding.Damage("a flag is neither 0 nor 1")
        }
    }

    /// Reads a count of items that take at least one byte each. A damaged count can therefore not cause a large allocation.
    private mutating func count() throws(SchemaCoding.Damage) -> Int {
        let count = Int(try number(UInt32.self))
        guard count <= bytes.count - position else { throw SchemaCoding.Damage("it is cut") }
        return count
    }

    private mutating func counted<Value>(
        _ body: (inout SchemaReader) throws(SchemaCoding.Damage) -> Value
    ) throws(SchemaCoding.Damage) -> [Value] {
        let count = try count()
        var values: [Value] = []
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }

    private mutating func text() throws(SchemaCoding.Damage) -> String {
        let count = try count()
        let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
        guard let text = String(validating: slice.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
            throw SchemaCoding.Damage("a text is not UTF-8")
        }
        position += count
        return text
    }

    private mutating func optionalText() throws(SchemaCoding.Damage) -> String? { try flag() ? try text() : nil }

    private mutating func texts() throws(SchemaCoding.Damage) -> [String] {
        try counted { (reader) throws(SchemaCoding.Damage) in try reader.text() }
    }
}
