/// All models of an app, with the types that they embed.
///
/// A schema is a declaration in code. The store assigns the numbers of models and fields in rows and events when it first gets
/// the schema. These numbers are in ``StoredSchema``.
public struct Schema: Sendable, Hashable {
    /// The models, in declaration order.
    public var models: [ModelSchema]
    /// The types that models embed, in declaration order.
    public var embeddedTypes: [EmbeddedSchema]
    /// The enums, in declaration order.
    public var enums: [EnumSchema]

    /// A schema of `models` and the types that they use.
    public init(models: [ModelSchema], embeddedTypes: [EmbeddedSchema] = [], enums: [EnumSchema] = []) {
        self.models = models
        self.embeddedTypes = embeddedTypes
        self.enums = enums
    }

    /// The model called `name`, or `nil` if there is none.
    public func model(named name: String) -> ModelSchema? { models.first { $0.name == name } }
}

// MARK: - Validation

extension Schema {
    /// Checks that a store can use this schema: its names, references, keys, indexes and limits (FORMATS, section 8).
    ///
    /// - Throws: ``DataStoreError`` with code ``DataStoreError/Code/invalidSchema`` that describes the first problem.
    public func validate() throws {
        try validateForm()
        for model in models {
            for field in model.fields {
                do throws(ValidationRule.Problem) { try field.checkRules() } catch {
                    var failure = Self.invalid("\(model.name).\(field.name): \(error.reason)")
                    (failure.model, failure.field) = (model.name, field.name)
                    throw failure
                }
            }
        }
    }

    /// Checks everything but the rules of fields. A stored schema may have rules that this version does not know; they are not
    /// checked.
    package func validateForm() throws {
        var names = Set<String>()
        let typeNames = models.map(\.name) + embeddedTypes.map(\.name) + enums.map(\.name)
        for name in typeNames {
            try Self.check(name: name, what: "type")
            guard names.insert(name).inserted else { throw Self.invalid("the type \(name) is declared twice") }
        }
        guard !models.isEmpty else { throw Self.invalid("it has no model") }
        guard models.count + embeddedTypes.count <= Limits.typeCount else {
            throw Self.invalid("it has more than \(Limits.typeCount) models and embedded types")
        }
        guard models.reduce(0, { $0 + $1.indexes.count }) <= Limits.indexCount else {
            throw Self.invalid("it has more than \(Limits.indexCount) secondary indexes")
        }
        let values = try checkedValueTypes()
        for model in models {
            do { try Self.validate(model, values) } catch var error as DataStoreError {
                error.model = model.name
                throw error
            }
        }
        for type in embeddedTypes { try Self.validate(fields: type.fields, of: type.name, values) }
    }

    private func checkedValueTypes() throws -> ValueTypes {
        let types = ValueTypes(self)
        for type in enums {
            guard !type.cases.isEmpty else { throw Self.invalid("the enum \(type.name) has no case") }
            guard types.cases[type.name]?.count == type.cases.count else {
                throw Self.invalid("the enum \(type.name) names a case twice")
            }
            for text in type.cases { try Self.check(name: text, what: "enum case") }
        }
        return types
    }

    private static func validate(_ model: ModelSchema, _ values: ValueTypes) throws {
        try validate(fields: model.fields, of: model.name, values)
        guard !model.primaryKey.isEmpty else { throw invalid("the model \(model.name) has no primary key") }
        guard Set(model.primaryKey).count == model.primaryKey.count else {
            throw invalid("the primary key of \(model.name) names a field twice")
        }
        for name in model.primaryKey {
            guard let field = model.field(named: name) else {
                throw invalid("the primary key of \(model.name) names \(name), which is no field of it")
            }
            guard field.isRequired, field.type.isOrdered else {
                throw invalid("the key field \(model.name).\(name) must be required and of an ordered type")
            }
        }
        guard Set(model.indexes.map(\.name)).count == model.indexes.count else {
            throw invalid("the model \(model.name) names an index twice")
        }
        for index in model.indexes {
            try check(name: index.name, what: "index")
            guard !index.fields.isEmpty else { throw invalid("the index \(index.name) has no field") }
            for name in index.fields {
                guard let field = model.field(named: name), field.type.isOrdered else {
                    throw invalid(
                        "the index \(index.name) of \(model.name) names \(name), which is no ordered field of it")
                }
            }
        }
    }

    private static func validate(fields: [FieldSchema], of owner: String, _ values: ValueTypes) throws {
        guard !fields.isEmpty else { throw invalid("\(owner) has no field") }
        guard fields.count <= Limits.fieldCount else {
            throw invalid("\(owner) has more than \(Limits.fieldCount) fields")
        }
        var names = Set<String>()
        for field in fields {
            try check(name: field.name, what: "field")
            guard names.insert(field.name).inserted else {
                throw invalid("the field \(owner).\(field.name) is declared twice")
            }
            try validate(type: field.type, of: "\(owner).\(field.name)", depth: 1, values)
            guard field.defaultValue.map({ values.admit($0, as: field.type, depth: 0) }) ?? true else {
                throw invalid("the default value of \(owner).\(field.name) does not fit its type")
            }
        }
    }

    private static func validate(type: FieldType, of field: String, depth: Int, _ values: ValueTypes) throws {
        guard depth <= Limits.nestingDepth else { throw invalid("\(field) nests too deep") }
        switch type {
        case .enumeration(let name):
            guard values.cases[name] != nil else {
                throw invalid("\(field) has the type \(name), which is no enum of the schema")
            }
        case .embedded(let name):
            guard values.fields[name] != nil else {
                throw invalid("\(field) has the type \(name), which is no embedded type of the schema")
            }
        case .list(let element, _): try validate(type: element, of: field, depth: depth + 1, values)
        default: break
        }
    }

    private static func check(name: String, what: String) throws {
        let bytes = Array(name.utf8)
        let isLetter: (UInt8) -> Bool = { ($0 | 32 >= 97 && $0 | 32 <= 122) || $0 == 95 }
        let isDigit: (UInt8) -> Bool = { $0 >= 48 && $0 <= 57 }
        guard let first = bytes.first, isLetter(first), bytes.allSatisfy({ isLetter($0) || isDigit($0) }),
            bytes.count <= Limits.nameByteCount
        else {
            throw invalid("the name of a \(what) must be 1 to \(Limits.nameByteCount) letters, digits and underscores")
        }
    }

    private static func invalid(_ reason: String) -> DataStoreError {
        DataStoreError(.invalidSchema, "The schema is not valid: \(reason).", recovery: "Correct the schema.")
    }
}

/// The types for values that a schema declares, by name.
private struct ValueTypes {
    /// The cases of the enums.
    let cases: [String: Set<String>]
    /// The fields of the embedded types.
    let fields: [String: [FieldSchema]]

    init(_ schema: Schema) {
        cases = Dictionary(schema.enums.map { ($0.name, Set($0.cases)) }) { first, _ in first }
        fields = Dictionary(schema.embeddedTypes.map { ($0.name, $0.fields) }) { first, _ in first }
    }

    /// Whether `value` can be stored in a field of `type`.
    ///
    /// This is the same check as `FieldValue.converted(to:)`, before a layout exists.
    func admit(_ value: FieldValue, as type: FieldType, depth: Int) -> Bool {
        guard depth <= Limits.nestingDepth else { return false }
        switch (type, value) {
        case (.id, .string), (.string, .string), (.int, .int), (.timestamp, .int), (.bool, .bool), (.date, .date),
            (.time, .time), (.dateTime, .dateTime):
            return true
        case (.enumeration(let name), .string(let text)):
            return cases[name]?.contains { $0.utf8.elementsEqual(text.utf8) } ?? false
        case (.double, .double(let number)): return number.isFinite
        case (.double, .int(let number)): return Double(exactly: number) != nil
        case (.date, .string(let text)): return (try? Temporal.Date(text)) != nil
        case (.time, .string(let text)): return (try? Temporal.Time(text)) != nil
        case (.dateTime, .string(let text)): return (try? Temporal.DateTime(text)) != nil
        case (.list(let element, let elementIsRequired), .list(let values)):
            return values.allSatisfy { $0.map { admit($0, as: element, depth: depth + 1) } ?? !elementIsRequired }
        case (.embedded(let name), .embedded(let values)):
            guard let fields = fields[name] else { return false }
            let names = Set(fields.map(\.name))
            return values.keys.allSatisfy(names.contains)
                && fields.allSatisfy { field in
                    values[field.name].map { admit($0, as: field.type, depth: depth + 1) } ?? !field.isRequired
                }
        default: return false
        }
    }
}
