/// Where the fields of a model or embedded type stand in its encoded rows, in one store.
///
/// A field's *ordinal* is its place in the declaration; its *slot* is its number less one (FORMATS, section 4). They are
/// equal until a schema change drops or inserts fields.
public final class RowLayout: @unchecked Sendable {  // Sound: mutated only while SchemaLayout is being built.
    /// The name of the model or embedded type.
    public let name: String
    /// The fields by ordinal.
    public let fields: [FieldLayout]
    /// How many slots a freshly encoded row has.
    public let slotCount: Int
    /// Whether every ordinal is its slot, so that rows can be written front to back.
    public let isSequential: Bool
    private let ordinals: [String: Int]
    private let canonicalOrdinals: [Int]
    /// The embedded types of a model's schema. The fields of embedded types, which may refer to each other in a circle,
    /// hold none of them: they live as long as the model's layout, or the schema's, does.
    private var embeddedTypes: [RowLayout] = []

    init(name: String, fields: [FieldSchema], numbers: [String: UInt16]) {
        self.name = name
        self.fields = fields.enumerated().map { ordinal, field in
            guard let number = numbers[field.name] else { preconditionFailure("every field has a number") }
            return FieldLayout(schema: field, ordinal: ordinal, slot: Int(number) - 1)
        }
        slotCount = Int(numbers.values.max() ?? 0)
        isSequential = slotCount == fields.count && self.fields.allSatisfy { $0.slot == $0.ordinal }
        canonicalOrdinals = fields.indices.sorted {
            fields[$0].name.utf8.lexicographicallyPrecedes(fields[$1].name.utf8)
        }
        ordinals = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    }

    /// The fields by name: the order of the state hash.
    var canonicalFields: [FieldLayout] { canonicalOrdinals.map { fields[$0] } }

    /// The field called `name`, if the type has one.
    public func field(named name: String) -> FieldLayout? { ordinals[name].map { fields[$0] } }

    /// Keeps `embeddedTypes` alive with this layout of a model.
    fileprivate func retain(_ embeddedTypes: [RowLayout]) { self.embeddedTypes = embeddedTypes }

    fileprivate func link(_ embedded: [String: RowLayout], _ enums: [String: Set<String>]) {
        for field in fields { field.link(embedded, enums) }
    }
}

/// One model of a store: its number, its rows' layout, its key and indexes.
public final class ModelLayout: Sendable {
    /// The number by which events and rows name the model.
    public let number: UInt32
    /// What the schema declares.
    public let schema: ModelSchema
    /// The layout of the model's rows.
    public let row: RowLayout
    /// The fields of the primary key, in order.
    public let keyFields: [FieldLayout]
    /// The secondary indexes.
    public let indexes: [IndexLayout]

    init(number: UInt32, schema: ModelSchema, row: RowLayout, indexNumbers: [String: UInt16]) {
        self.number = number
        self.schema = schema
        self.row = row
        let field = { (name: String) -> FieldLayout in
            guard let field = row.field(named: name) else { preconditionFailure("the schema was validated") }
            return field
        }
        keyFields = schema.primaryKey.map(field)
        indexes = schema.indexes.map { index in
            guard let number = indexNumbers[index.name] else { preconditionFailure("every index has a number") }
            return IndexLayout(number: number, name: index.name, fields: index.fields.map(field))
        }
    }

    /// The model's name.
    public var name: String { schema.name }
}

/// One secondary index of a ``ModelLayout``.
public struct IndexLayout: Sendable {
    /// The number by which stored entries name the index, unique in its model.
    public let number: UInt16
    /// The index's name.
    public let name: String
    /// The indexed fields, in order.
    public let fields: [FieldLayout]
}

/// All layouts of a store's schema.
public final class SchemaLayout: Sendable {
    /// The schema that was laid out.
    public let schema: StoredSchema
    /// The models in declaration order.
    public let models: [ModelLayout]
    private let embeddedTypes: [RowLayout]
    let typed = TypedLayouts()
    /// How the models' relations are followed.
    let relations: RelationLayouts
    private let byName: [String: ModelLayout]
    private let byNumber: [UInt32: ModelLayout]

    /// Lays out `schema`, which was validated.
    public init(_ schema: StoredSchema) {
        self.schema = schema
        embeddedTypes = schema.declared.embeddedTypes.map {
            RowLayout(name: $0.name, fields: $0.fields, numbers: schema.fieldNumbers[$0.name] ?? [:])
        }
        models = schema.declared.models.map { model in
            ModelLayout(
                number: schema.modelNumbers[model.name] ?? 0, schema: model,
                row: RowLayout(
                    name: model.name, fields: model.fields, numbers: schema.fieldNumbers[model.name] ?? [:]),
                indexNumbers: schema.indexNumbers[model.name] ?? [:])
        }
        byName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
        byNumber = Dictionary(uniqueKeysWithValues: models.map { ($0.number, $0) })
        relations = RelationLayouts(models, byName)
        let embedded = Dictionary(uniqueKeysWithValues: embeddedTypes.map { ($0.name, $0) })
        let enums = Dictionary(uniqueKeysWithValues: schema.declared.enums.map { ($0.name, Set($0.cases)) })
        for layout in embeddedTypes + models.map(\.row) { layout.link(embedded, enums) }
        for model in models { model.row.retain(embeddedTypes) }
    }

    /// The model called `name`, if the schema has one.
    public func model(named name: String) -> ModelLayout? { byName[name] }

    /// The model with `number`, if the schema has one.
    public func model(numbered number: UInt32) -> ModelLayout? { byNumber[number] }
}
