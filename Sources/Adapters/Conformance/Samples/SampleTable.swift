@_spi(Adapters) internal import TidelogCore

/// Records with the values of a sample type, in a model without an index and in a model with one.
struct SampleTable {
    let sample: SampleType
    /// Every record of the table, in the order of its keys.
    let members: [(id: String, value: FieldValue?, rank: Int?)]

    static let models = ["Plain", "Indexed"]

    /// The schema of a table of `sample`. The field `value` holds the sample, and `even` shows whether its rank is even.
    static func schema(_ sample: SampleType) -> Schema {
        let fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("value", sample.type), FieldSchema("even", .bool),
            FieldSchema("note", .string),
        ]
        return .plainAndIndexed(fields, by: ["byValue": ["value"]], enums: [SampleType.statusEnum])
    }

    /// The order of the keys is opposite to the order of the values, so that no result is in order by chance.
    init(_ sample: SampleType) {
        self.sample = sample
        var members: [(id: String, value: FieldValue?, rank: Int?)] = []
        for (rank, values) in sample.classes.enumerated() {
            for value in values { members.append(("", value, rank)) }
        }
        members.append(("", nil, nil))
        members.append(("", nil, nil))
        for index in members.indices { members[index].id = "k\(1_000 - index)" }
        self.members = members.sorted { $0.id < $1.id }
    }

    /// The records of `model`.
    func records(_ model: String) -> [Record] {
        members.map { member in
            var record = Record(model: model, values: ["id": .string(member.id)])
            record["value"] = member.value
            record["even"] = member.rank.map { .bool($0 % 2 == 0) }
            return record
        }
    }

    /// Saves the records of both models in two commits whose keys alternate.
    func save(to subject: Subject) throws {
        for parity in 0...1 {
            try subject.write { scope in
                for model in Self.models {
                    try scope.save(records(model).enumerated().filter { $0.offset % 2 == parity }.map(\.element))
                }
            }
        }
    }

    /// The ids of the members for which `isMember` returns true, in key order.
    func ids(where isMember: (Int?) -> Bool) -> [String] { members.filter { isMember($0.rank) }.map(\.id) }
}

extension Schema {
    /// The schema of two models with the same fields: `Plain` without an index, and `Indexed` with `indexes`, by name.
    static func plainAndIndexed(
        _ fields: [FieldSchema], by indexes: KeyValuePairs<String, [String]>, enums: [EnumSchema] = []
    ) -> Schema {
        let indexes = indexes.map { IndexSchema(name: $0.key, fields: $0.value) }
        return Schema(
            models: [
                ModelSchema(name: "Plain", fields: fields),
                ModelSchema(name: "Indexed", fields: fields, indexes: indexes),
            ],
            enums: enums)
    }
}

extension ConformanceCase {
    /// A case with the saved records of a sample type's table.
    init(
        _ rule: String, _ name: String, with sample: SampleType,
        _ body: @escaping @Sendable (Subject, SampleTable) throws -> Void
    ) {
        self.init(rule, name, on: SampleTable.schema(sample)) { subject in
            let table = SampleTable(sample)
            try table.save(to: subject)
            try body(subject, table)
        }
    }
}
