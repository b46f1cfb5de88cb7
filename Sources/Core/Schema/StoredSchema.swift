/// The schema as a store knows it: every model and field with the number by which rows and events name it.
///
/// Numbers are assigned once and never reused; a dropped model or field keeps its number.
public struct StoredSchema: Sendable, Hashable {
    /// Counts from 1; every change of the schema makes a new one.
    public var version: UInt32
    /// What the code declared, and what earlier or other builds of it declared besides: nothing stored loses its place.
    public var declared: Schema
    /// The number of each model by name, including dropped ones.
    public var modelNumbers: [String: UInt32]
    /// The number of each field by name, for every model and embedded type by name, including dropped ones.
    public var fieldNumbers: [String: [String: UInt16]]
    /// The number of each index by name, for every model by name.
    public var indexNumbers: [String: [String: UInt16]]
    /// The names of the migrations that are behind this schema, in the order in which they came.
    public var migrations: [String]

    /// The first schema of a store: everything is numbered in declaration order.
    ///
    /// - Parameter migrations: The names of the migrations that `declared` is the result of.
    public init(first declared: Schema, migrations: [String] = []) {
        self.init(
            version: 1, declared: declared, modelNumbers: [:], fieldNumbers: [:], indexNumbers: [:],
            migrations: migrations)
        assignNumbers()
    }

    init(
        version: UInt32, declared: Schema, modelNumbers: [String: UInt32],
        fieldNumbers: [String: [String: UInt16]], indexNumbers: [String: [String: UInt16]],
        migrations: [String]
    ) {
        self.version = version
        self.declared = declared
        self.modelNumbers = modelNumbers
        self.fieldNumbers = fieldNumbers
        self.indexNumbers = indexNumbers
        self.migrations = migrations
    }

    /// The schema that follows this one when the code declares `next`: known names keep their numbers.
    public func adopting(_ next: Schema) -> StoredSchema {
        var following = self
        following.version += 1
        following.declared = next
        following.assignNumbers()
        return following
    }

    private mutating func assignNumbers() {
        for model in declared.models {
            if modelNumbers[model.name] == nil {
                modelNumbers[model.name] = (modelNumbers.values.max() ?? 0) + 1
            }
            Self.assign(model.fields.map(\.name), in: &fieldNumbers[model.name, default: [:]])
            Self.assign(model.indexes.map(\.name), in: &indexNumbers[model.name, default: [:]])
        }
        for type in declared.embeddedTypes {
            Self.assign(type.fields.map(\.name), in: &fieldNumbers[type.name, default: [:]])
        }
    }

    private static func assign(_ names: [String], in numbers: inout [String: UInt16]) {
        var next = (numbers.values.max() ?? 0) + 1
        for name in names where numbers[name] == nil {
            numbers[name] = next
            next += 1
        }
    }
}
