import SeededNumbers
import Tidelog

/// A made-up app: the schemas of its versions, and records of each version. A store of each version can be opened with
/// the next schema.
struct VersionChain {
    private(set) var versions: [Schema] = []
    private var random: SeededGenerator
    private var made = 0

    init(_ seed: UInt64, count: Int) {
        random = SeededGenerator(seed)
        var schema = Schema(
            models: [
                ModelSchema(
                    name: "M0",
                    fields: [
                        FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string, isRequired: true),
                        FieldSchema("place", .embedded("Place")), FieldSchema("level", .enumeration("Level")),
                    ])
            ],
            embeddedTypes: [EmbeddedSchema(name: "Place", fields: [FieldSchema("city", .string, isRequired: true)])],
            enums: [EnumSchema(name: "Level", cases: ["low", "high"])])
        versions.append(schema)
        while versions.count < count {
            for _ in 0..<3 { change(&schema) }
            versions.append(schema)
        }
    }

    private mutating func name(_ prefix: String) -> String {
        made += 1
        return "\(prefix)\(made)"
    }

    private mutating func newField() -> FieldSchema {
        let name = name("f")
        switch random.below(6) {
        case 0: return FieldSchema(name, .int)
        case 1: return FieldSchema(name, .int, isRequired: true, defaultValue: .int(Int64(made)))
        case 2: return FieldSchema(name, .enumeration("Level"), isRequired: true, defaultValue: "low")
        case 3: return FieldSchema(name, .list(.embedded("Place"), elementIsRequired: true))
        case 4: return FieldSchema(name, .string, isRequired: true, defaultValue: .string("d\(made)"))
        default: return FieldSchema(name, .double)
        }
    }

    private mutating func change(_ schema: inout Schema) {
        let model = random.below(schema.models.count)
        switch random.below(8) {
        case 0: schema.models.append(ModelSchema(name: name("M"), fields: [FieldSchema("id", .id, isRequired: true)]))
        case 1:
            let field = FieldSchema(name("p"), .int, isRequired: true, defaultValue: .int(Int64(made)))
            schema.embeddedTypes[0].fields.append(field)
        case 2: schema.enums[0].cases.append(name("c"))
        case 3:
            if let index = schema.models[model].fields.firstIndex(where: { $0.name == "text" }) {
                schema.models[model].fields[index].isRequired = false
            }
        case 4:
            let ordered = schema.models[model].fields.filter(\.type.isOrdered).map(\.name)
            let field = ordered[random.below(ordered.count)]
            schema.models[model].indexes.append(IndexSchema(name: name("x"), fields: [field]))
        case 5:
            // Removes an optional field and its indexes. The field `text` stays in every version.
            let optional = schema.models[model].fields.filter { !$0.isRequired && $0.name != "text" }
            guard !optional.isEmpty else { return }
            let field = optional[random.below(optional.count)].name
            schema.models[model].fields.removeAll { $0.name == field }
            schema.models[model].indexes.removeAll { $0.fields.contains(field) }
        default:
            let place = random.below(schema.models[model].fields.count + 1)
            schema.models[model].fields.insert(newField(), at: place)
        }
    }

    /// The records that version `number` of the app writes.
    mutating func records(_ number: Int) -> [Record] {
        let schema = versions[number]
        var records: [Record] = []
        for model in schema.models {
            for id in 0..<6 {
                var values: [String: FieldValue] = ["id": .string("v\(number)-\(id)")]
                for field in model.fields where field.name != "id" {
                    guard field.isRequired || random.below(3) > 0 else { continue }
                    values[field.name] = value(of: field.type, schema)
                }
                records.append(Record(model: model.name, values: values))
            }
        }
        return records
    }

    private mutating func value(of type: FieldType, _ schema: Schema) -> FieldValue {
        switch type {
        case .int: return .int(Int64(random.below(100)))
        case .double: return .double(Double(random.below(100)) / 8)
        case .enumeration: return .string(schema.enums[0].cases[random.below(schema.enums[0].cases.count)])
        case .list: return .list((0..<random.below(3)).map { _ in value(of: .embedded("Place"), schema) })
        case .embedded:
            var values: [String: FieldValue] = [:]
            for field in schema.embeddedTypes[0].fields { values[field.name] = value(of: field.type, schema) }
            return .embedded(values)
        default: return .string("t\(random.below(100))")
        }
    }

    /// The content of `record` in a store after each version in `path` has opened the store.
    func expected(_ record: Record, through path: [Int]) -> Record {
        var record = record
        for version in path {
            guard let model = versions[version].model(named: record.model) else { continue }
            for field in model.fields {
                if record[field.name] == nil, field.isRequired { record[field.name] = field.defaultValue }
                record[field.name] = record[field.name].map { completed($0, version) }
            }
        }
        // Fields that the last version does not declare get complete values too.
        if let last = path.last {
            for (name, value) in record.values { record[name] = completed(value, last) }
        }
        return record
    }

    private func completed(_ value: FieldValue, _ version: Int) -> FieldValue {
        switch value {
        case .embedded(var values):
            for field in versions[version].embeddedTypes[0].fields where values[field.name] == nil {
                values[field.name] = field.defaultValue
            }
            return .embedded(values)
        case .list(let values): return .list(values.map { $0.map { completed($0, version) } })
        default: return value
        }
    }
}
