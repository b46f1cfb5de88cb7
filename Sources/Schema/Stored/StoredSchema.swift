/// The schema of a store: all models and fields with their numbers in rows and events.
///
/// A number is assigned once and never reused. A removed model or field keeps its number.
public struct StoredSchema: Sendable, Hashable {
    /// The version, counted from 1. Every change of the schema makes a new version.
    public var version: UInt32
    /// The schema that the code declares, together with everything that earlier or different builds declared. No stored data is
    /// lost.
    public var declared: Schema
    /// The number of each model by name, including dropped ones.
    public var modelNumbers: [String: UInt32]
    /// The number of each field by name, for every model and embedded type by name, including dropped ones.
    public var fieldNumbers: [String: [String: UInt16]]
    /// The number of each index by name, for every model by name.
    public var indexNumbers: [String: [String: UInt16]]
    /// The names of the migrations that led to this schema, in the order in which they were applied.
    public var migrations: [String]

    /// The first schema of a store. All numbers are assigned in declaration order.
    ///
    /// - Parameter migrations: The names of the migrations that led to `declared`.
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

    /// The schema that follows this one if the code declares `next`. Known names keep their numbers.
    public func adopting(_ next: Schema) -> StoredSchema {
        var following = self
        following.version += 1
        following.declared = next
        following.assignNumbers()
        assert(following.keepsNumbers(of: self), "a number is never assigned again")
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

    /// Whether every name that `earlier` numbers has the same number here.
    private func keepsNumbers(of earlier: StoredSchema) -> Bool {
        earlier.modelNumbers.allSatisfy { modelNumbers[$0.key] == $0.value }
            && earlier.fieldNumbers.allSatisfy { type in
                type.value.allSatisfy { fieldNumbers[type.key]?[$0.key] == $0.value }
            }
            && earlier.indexNumbers.allSatisfy { model in
                model.value.allSatisfy { indexNumbers[model.key]?[$0.key] == $0.value }
            }
    }

    private static func assign(_ names: [String], in numbers: inout [String: UInt16]) {
        assert(Set(numbers.values).count == numbers.count, "two names have no number in common")
        var next = (numbers.values.max() ?? 0) + 1
        for name in names where numbers[name] == nil {
            numbers[name] = next
            next += 1
        }
    }
}
