@_spi(Adapters) internal import TidelogCore

/// Adds relations of every kind to a random schema: references, the opposite relations, and joins.
struct RelationGenerator {
    /// The name of the model that joins two other models.
    static let joinName = "Join"

    /// `schema` with relations among its models. Each model refers to one model with fields of its own.
    static func adding(to schema: Schema, using random: inout SeededGenerator) -> Schema {
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
        let (left, right) = (random.int(0...schema.models.count - 1), random.int(0...schema.models.count - 1))
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
