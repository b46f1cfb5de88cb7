import Tidelog

/// A change that is part of a commit of a workload.
enum Change: Hashable {
    case save(Record)
    case delete(model: String, id: String)
}

/// A small program of commits, numbered from 0. The changes of a commit depend on its number alone. The acknowledged numbers
/// therefore determine the content of the store.
enum Workload: String, CaseIterable {
    /// New records, one per commit.
    case insert
    /// The same six records: saved, saved again, deleted, and so on.
    case update
    /// Several new records, a sum, and deletions, all in one commit.
    case batch
    /// New records from eight savers at once.
    case savers
    /// The same as `batch`, but the store is opened and closed for each commit.
    case reopen
    /// New records, under a schema that is extended twice.
    case grow

    static let saverCount = 8
    private static let keyCount = 6

    /// Whether the commits are made in the order of their numbers.
    var isSequential: Bool { self != .savers }

    func changes(_ number: Int) -> [Change] {
        switch self {
        case .insert, .savers: [.save(item("\(rawValue)\(number)", number))]
        case .update: update(number)
        case .batch, .reopen: batch(number)
        case .grow: grow(number)
        }
    }

    private func update(_ number: Int) -> [Change] {
        let id = "key\(number % Self.keyCount)"
        if number / Self.keyCount % 3 == 2 { return [.delete(model: "Item", id: id)] }
        return [.save(item(id, number))]
    }

    private func batch(_ number: Int) -> [Change] {
        var changes = (0..<Self.size(number)).map { Change.save(item("b\(number)-\($0)", number)) }
        let sum = (0...number).reduce(0) { $0 + Self.size($1) }
        changes.append(.save(Record(model: "Sum", values: ["id": "sum", "value": .int(Int64(sum))])))
        if number >= 3 { changes += (0..<2).map { .delete(model: "Item", id: "b\(number - 3)-\($0)") } }
        return changes
    }

    private static func size(_ number: Int) -> Int { 2 + mixed(number, 1) % 6 }

    private func grow(_ number: Int) -> [Change] {
        var record = item("g\(number)", number)
        let version = version(number)
        if version >= 2 { record["note"] = .string("note \(number)") }
        var changes = [Change.save(record)]
        if version >= 3 { changes.append(.save(Record(model: "Extra", values: ["id": .string("e\(number)")]))) }
        return changes
    }

    private func item(_ id: String, _ number: Int) -> Record {
        // Most records are small. Some are larger than a page.
        let length = mixed(number, 2) % 11 == 0 ? 9_000 : mixed(number, 3) % 400
        let text = String(String(repeating: "\(id) \(number) ", count: length / 6 + 1).prefix(length + 1))
        var values: [String: FieldValue] = [
            "id": .string(id), "number": .int(Int64(number)), "text": .string(text),
        ]
        if mixed(number, 4) % 4 > 0 { values["tag"] = .string("tag\(mixed(number, 5) % 5)") }
        return Record(model: "Item", values: values)
    }

    // MARK: Schemas

    /// The number of the schema under which a commit is made, from 1.
    func version(_ number: Int) -> Int { self == .grow ? min(3, 1 + number / 3) : 1 }

    func schema(version: Int) -> Schema {
        var fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("number", .int, isRequired: true),
            FieldSchema("text", .string, isRequired: true), FieldSchema("tag", .string),
        ]
        if version >= 2 { fields.append(FieldSchema("note", .string)) }
        var indexes = [IndexSchema(name: "byTag", fields: ["tag", "number"])]
        if version >= 3 { indexes.append(IndexSchema(name: "byNumber", fields: ["number"])) }
        var models = [
            ModelSchema(name: "Item", fields: fields, indexes: indexes),
            ModelSchema(
                name: "Sum",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("value", .int, isRequired: true),
                ]),
        ]
        if version >= 3 {
            models.append(ModelSchema(name: "Extra", fields: [FieldSchema("id", .id, isRequired: true)]))
        }
        return Schema(models: models)
    }
}

/// A number that looks random but depends only on the arguments.
func mixed(_ number: Int, _ salt: Int) -> Int {
    var value = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(salt))
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) >> 2)
}
