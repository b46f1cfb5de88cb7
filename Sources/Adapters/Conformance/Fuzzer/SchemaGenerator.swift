@_spi(Adapters) internal import TidelogCore

/// Makes random valid schemas.
enum SchemaGenerator {
    private static let scalars: [FieldType] = [
        .id, .string, .int, .double, .bool, .enumeration("Status"), .date, .time, .dateTime, .timestamp,
    ]

    private static let inner = EmbeddedSchema(
        name: "Inner",
        fields: [
            FieldSchema("n", .int), FieldSchema("text", .string, isRequired: true), FieldSchema("real", .double),
            FieldSchema("moment", .dateTime),
        ])
    private static let outer = EmbeddedSchema(
        name: "Outer",
        fields: [
            FieldSchema("inner", .embedded("Inner")), FieldSchema("flag", .bool),
            FieldSchema("texts", .list(.string, elementIsRequired: false)),
        ])

    /// A schema of one or two models with fields of every type, and with random keys and indexes.
    static func schema(using random: inout SeededGenerator) -> Schema {
        Schema(
            models: (0..<random.int(1...2)).map { model("M\($0)", using: &random) }, embeddedTypes: [inner, outer],
            enums: [SampleType.statusEnum])
    }

    private static func model(_ name: String, using random: inout SeededGenerator) -> ModelSchema {
        var fields = scalars.map { FieldSchema("", $0, isRequired: random.oneIn(5)) }
        for _ in 0..<random.int(0...4) { fields.append(FieldSchema("", random.pick(scalars))) }
        for _ in 0..<random.int(1...3) {
            let element = random.oneIn(4) ? .embedded("Inner") : random.pick(scalars)
            fields.append(FieldSchema("", .list(element, elementIsRequired: random.oneIn(2))))
        }
        fields.append(FieldSchema("", .list(.list(.int, elementIsRequired: false), elementIsRequired: false)))
        fields.append(FieldSchema("", .embedded(random.oneIn(2) ? "Outer" : "Inner")))
        fields.shuffle(using: &random)
        for index in fields.indices { fields[index].name = "f\(index)" }
        let ordered = fields.filter(\.type.isOrdered).map(\.name)
        var key: [String] = []
        if random.oneIn(3) {
            key = Array(ordered.shuffled(using: &random).prefix(random.int(1...3)))
            for index in fields.indices where key.contains(fields[index].name) { fields[index].isRequired = true }
        } else {
            fields.insert(FieldSchema("id", .id, isRequired: true), at: random.int(0...fields.count))
            key = ["id"]
        }
        let indexes = (0..<random.int(0...4)).map { number in
            IndexSchema(
                name: "index\(number)", fields: Array(ordered.shuffled(using: &random).prefix(random.int(1...3))))
        }
        return ModelSchema(name: name, fields: fields, primaryKey: key, indexes: indexes)
    }
}

/// Adds relations of every kind to a random schema: references, the opposite relations, and joins.
extension SchemaGenerator {
    /// The name of the model that joins two other models.
    static let joinName = "Join"

    /// `schema` with relations among its models. Each model refers to one model with fields of its own.
    static func addingRelations(to schema: Schema, using random: inout SeededGenerator) -> Schema {
        var schema = schema
        for index in schema.models.indices {
            let target = random.int(0...schema.models.count - 1)
            let number = schema.models[index].associations.count
            let reference = reference("up\(number)", from: &schema.models[index], to: schema.models[target])
            // The index may have a further field, which defines the order of the referring records.
            let ordered = schema.models[index].fields.filter(\.type.isOrdered).map(\.name)
            let rest = random.oneIn(2) ? ordered.filter { !reference.fields.contains($0) }.shuffled(using: &random) : []
            let name = "by\(reference.name)"
            schema.models[index].indexes.append(IndexSchema(name: name, fields: reference.fields + rest.prefix(1)))
            schema.models[target].associations.append(
                Association(
                    name: "down\(schema.models[target].associations.count)", kind: random.oneIn(4) ? .hasOne : .hasMany,
                    target: schema.models[index].name, fields: schema.models[target].primaryKey,
                    indexOrRelationName: name))
        }
        return joining(schema, using: &random)
    }

    /// `schema` with a model that joins two of its models, or one model with itself.
    private static func joining(_ schema: Schema, using random: inout SeededGenerator) -> Schema {
        var schema = schema
        let left = random.int(0...schema.models.count - 1)
        let right = random.int(0...schema.models.count - 1)
        var join = ModelSchema(
            name: joinName, fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("note", .int)],
            primaryKey: ["id"])
        for (name, side) in [("left", left), ("right", right)] {
            let reference = reference(name, from: &join, to: schema.models[side])
            if random.oneIn(2) { join.indexes.append(IndexSchema(name: "by\(name)", fields: reference.fields)) }
        }
        schema.models[left].associations.append(
            Association(
                name: "joined", kind: .manyToMany, target: schema.models[right].name, indexOrRelationName: joinName))
        schema.models[right].associations.append(
            Association(
                name: "joining", kind: .manyToMany, target: schema.models[left].name, indexOrRelationName: joinName))
        schema.models.append(join)
        return schema
    }

    /// Adds a reference called `name` to `model`, with fields for the key of `target`.
    private static func reference(
        _ name: String, from model: inout ModelSchema, to target: ModelSchema
    ) -> Association {
        let fields = target.primaryKey.compactMap { key in
            target.field(named: key).map { FieldSchema("\(name)_\(key)", $0.type) }
        }
        let association = Association(name: name, kind: .belongsTo, target: target.name, fields: fields.map(\.name))
        model.fields += fields
        model.associations.append(association)
        return association
    }
}
