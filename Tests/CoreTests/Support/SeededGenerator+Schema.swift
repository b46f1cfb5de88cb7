import SeededNumbers
import TidelogCore

extension SeededGenerator {
    static let orderedTypes: [FieldType] = [
        .id, .string, .int, .double, .bool, .date, .time, .dateTime, .timestamp,
    ]

    /// A valid schema with every kind of type. Embedded types may refer to each other and to themselves.
    mutating func schema() throws -> Schema {
        let enums = (0..<below(3)).map { index in
            EnumSchema(
                name: "Enum\(index)", cases: (0...below(4)).map { "case\($0)" }, documentation: documentation())
        }
        let embeddedNames = (0..<below(4)).map { "Embedded\($0)" }
        let embeddedTypes = embeddedNames.map { name in
            EmbeddedSchema(name: name, fields: fields(enums, embeddedNames, false), documentation: documentation())
        }
        var schema = Schema(models: [], embeddedTypes: embeddedTypes, enums: enums)
        schema.models = try (0...below(4)).map { try model("Model\($0)", in: schema) }
        return schema
    }

    private mutating func model(_ name: String, in schema: Schema) throws -> ModelSchema {
        var fields = (0..<(once(in: 3) ? 2 : 1)).map { index in
            FieldSchema("key\(index)", once(in: 2) ? .id : pick(Self.orderedTypes), isRequired: true)
        }
        let key = fields.map(\.name)
        fields += self.fields(schema.enums, schema.embeddedTypes.map(\.name), true)
        fields.shuffle(using: &self)
        for index in fields.indices where once(in: 3) {
            fields[index].defaultValue = try value(of: fields[index].type, in: schema)
            fields[index].directives = ["@auth(rules: [{allow: \(text())}])"]
            fields[index].isReadOnly = once(in: 2)
        }
        let ordered = fields.filter(\.type.isOrdered).map(\.name)
        let indexes = (0..<below(3)).map { index in
            IndexSchema(
                name: "by\(index)", fields: (0...below(2)).map { _ in pick(ordered) }, queryField: documentation())
        }
        let associations = (0..<below(3)).map { index in
            Association(
                name: "relation\(index)", kind: pick([.hasOne, .hasMany, .belongsTo, .manyToMany]), target: "Model0",
                fields: once(in: 2) ? [] : [pick(ordered)], indexOrRelationName: documentation(),
                isRequired: once(in: 2), directives: once(in: 2) ? [] : [text()], documentation: documentation())
        }
        return ModelSchema(
            name: name, fields: fields, primaryKey: key, indexes: indexes, associations: associations,
            directives: once(in: 2) ? [] : [text(), text()], documentation: documentation())
    }

    private mutating func documentation() -> String? { once(in: 2) ? nil : text() }

    /// One to ten fields. A field with an embedded type is required only if it cannot nest without end.
    private mutating func fields(_ enums: [EnumSchema], _ embedded: [String], _ isModel: Bool) -> [FieldSchema] {
        (0...below(10)).map { index in
            let type = fieldType(enums, embedded, depth: 0)
            var nestsItself = false
            if case .embedded = type { nestsItself = !isModel }
            return FieldSchema(
                "field\(index)", type, isRequired: !nestsItself && once(in: 3), documentation: documentation())
        }
    }

    private mutating func fieldType(_ enums: [EnumSchema], _ embedded: [String], depth: Int) -> FieldType {
        switch below(14) {
        case 0 where !enums.isEmpty: .enumeration(pick(enums).name)
        case 1 where !embedded.isEmpty, 2 where !embedded.isEmpty: .embedded(pick(embedded))
        case 3 where depth < 3, 4 where depth < 3:
            .list(fieldType(enums, embedded, depth: depth + 1), elementIsRequired: once(in: 2))
        default: pick(Self.orderedTypes)
        }
    }

    /// `schema` in the form that a later release could declare. Fields are removed, inserted and reordered, and keys stay.
    mutating func revised(_ schema: Schema) -> Schema {
        var next = schema
        for index in next.models.indices {
            let key = Set(next.models[index].primaryKey)
            next.models[index].fields = revised(next.models[index].fields, keeping: key)
            let names = Set(next.models[index].fields.map(\.name))
            next.models[index].indexes.removeAll { !names.isSuperset(of: $0.fields) }
        }
        for index in next.embeddedTypes.indices {
            next.embeddedTypes[index].fields = revised(next.embeddedTypes[index].fields, keeping: [])
        }
        return next
    }

    private mutating func revised(_ fields: [FieldSchema], keeping key: Set<String>) -> [FieldSchema] {
        var next = fields.filter { key.contains($0.name) || !once(in: 4) }
        for index in next.indices where !next[index].type.isOrdered { next[index].defaultValue = nil }
        for _ in 0..<below(3) {
            let added = FieldSchema("added\(below(1_000_000))", pick(Self.orderedTypes))
            next.insert(added, at: below(next.count + 1))
        }
        if once(in: 2) { next.shuffle(using: &self) }
        return next.isEmpty ? fields : next
    }
}
