import SeededNumbers

extension SeededGenerator {
    private static let keyTypes = ["ID", "String", "Int", "AWSDateTime", "Level0", "AWSEmail"]

    /// A valid document with models, enums and embedded types, and every kind of relation between the models.
    mutating func document() -> String {
        let modelCount = 1 + below(5)
        var models = (0..<modelCount).map { model($0) }
        for index in 0..<below(6) { relate(&models, index) }
        let text = models.map { "\($0.head) {\n  \($0.fields.joined(separator: "\n  "))\n}" }
        let enums = (0..<3).map { "\(documentation())enum Level\($0) { low\($0) high }" }
        let embedded = (0..<3).map { index in
            let fields = (0...below(4)).map {
                "\(documentation())f\($0): \(type(once(in: 2) ? "Part\(below(3))" : nil))"
            }
            return "\(documentation())type Part\(index) { \(fields.joined(separator: " ")) }"
        }
        return (text + enums + embedded).shuffled(using: &self).joined(separator: "\n")
    }

    private struct Draft {
        var head: String
        var fields: [String]
    }

    private mutating func model(_ index: Int) -> Draft {
        var fields: [String] = []
        switch below(4) {
        case 0: fields.append("id: ID!")
        case 1: fields.append("code: \(pick(Self.keyTypes))! @primaryKey")
        case 2:
            fields.append("code: \(pick(Self.keyTypes))! @primaryKey(sortKeyFields: [\"second\"])")
            fields.append("second: \(pick(Self.keyTypes))!")
        default: break
        }
        for number in 0...below(5) {
            var field = "\(documentation())f\(number): "
            switch below(5) {
            case 0:
                field += "\(pick(Self.keyTypes)) @index(name: \"by\(number)\""
                field += once(in: 2) ? "" : ", queryField: \"query\(number)\""
                field += ") @index(name: \"and\(number)\", sortKeyFields: [\"plain\"])"
            case 1: field += "Level\(below(3))! @default(value: \"high\")"
            case 2:
                field += pick([
                    "Int @default(value: \"-7\")", "Float @default(value: \"1e-7\")",
                    "String @default(value: \"\\u00e9\\\"\")",
                    "AWSDate! @default(value: \"2026-11-21Z\")", "Boolean @default(value: \"true\")",
                ])
            default: field += type(once(in: 3) ? "Part\(below(3))" : nil)
            }
            if once(in: 5) { field += " @auth(rules: [{allow: owner}])" }
            fields.append(field)
        }
        fields.append("plain: Int")
        if once(in: 6) { fields.append("createdAt: AWSDateTime") }
        fields.shuffle(using: &self)
        let directive = pick([
            "@model", "@model", "@model(timestamps: null)", "@model(timestamps: {createdAt: \"made\"})",
            "@auth(rules: [{allow: private}]) @model(queries: null, timestamps: {updatedAt: null})",
            "@model @auth(rules: [{allow: owner}, {allow: groups, groups: [\"a\"]}])",
        ])
        return Draft(head: "\(documentation())type Model\(index) \(directive)", fields: fields)
    }

    private mutating func relate(_ models: inout [Draft], _ index: Int) {
        let (one, other) = (below(models.count), below(models.count))
        let limit = once(in: 2) ? "" : "(limit: 7)"
        switch below(3) {
        case 0:
            models[one].fields.append("many\(index): [Model\(other)] @hasMany\(limit)")
            if once(in: 2) {
                models[other].fields.append("back\(index): Model\(one)\(once(in: 2) ? "" : "!") @belongsTo")
            }
        case 1:
            models[one].fields.append("one\(index): Model\(other)\(once(in: 2) ? "" : "!") @hasOne")
            if once(in: 2) { models[other].fields.append("back\(index): Model\(one) @belongsTo") }
        default:
            guard one != other else { return }
            models[one].fields.append("pairs\(index): [Model\(other)] @manyToMany(relationName: \"join\(index)\")")
            models[other].fields.append("pairs\(index): [Model\(one)] @manyToMany(relationName: \"Join\(index)\")")
        }
    }

    private mutating func type(_ name: String?) -> String {
        let scalars = [
            "ID", "String", "Int", "Float", "Boolean", "AWSTime", "AWSTimestamp", "AWSJSON", "AWSURL", "Level1",
        ]
        let name = name ?? pick(scalars)
        return pick([
            name, name, "\(name)\(name.hasPrefix("Part") ? "" : "!")", "[\(name)]", "[\(name)!]!", "[[\(name)]!]",
        ])
    }

    private mutating func documentation() -> String {
        guard once(in: 4) else { return "" }
        return pick(["\"short\" ", "\"\"\"\ntwo\n  lines \\\"\"\"\n\"\"\"\n", "\"tab\\t end \" ", "\"\" "])
    }
}
