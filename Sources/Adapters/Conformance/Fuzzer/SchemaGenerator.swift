@_spi(Adapters) internal import TidelogCore

/// Makes random valid schemas.
struct SchemaGenerator {
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
