/// Where the fields of a model or embedded type stand in its encoded rows, in one store.
///
/// A field's *ordinal* is its place in the declaration; its *slot* is its number less one (FORMATS, section 4). They are
/// equal until a schema change drops or inserts fields.
@_spi(Adapters)
public final class RowLayout: @unchecked Sendable {  // Sound: mutated only while SchemaLayout is being built.
    /// The name of the model or embedded type.
    public let name: String
    /// The fields by ordinal.
    public let fields: [FieldLayout]
    /// How many slots a freshly encoded row has.
    public let slotCount: Int
    /// Whether every ordinal is its slot, so that rows can be written front to back.
    public let isSequential: Bool
    /// The fields with texts that must keep to a scalar's rule, their own or those of what they embed.
    let textFields: [FieldLayout]
    private let memory = UnsafeMutablePointer<RowPlan>.allocate(capacity: 1)
    private let ordinals: [String: Int]
    private let canonicalOrdinals: [Int]
    /// The embedded types of a model's schema. The fields of embedded types, which may refer to each other in a circle,
    /// hold none of them: they live as long as the model's layout, or the schema's, does.
    private var embeddedTypes: [RowLayout] = []

    init(name: String, fields: [FieldSchema], numbers: [String: UInt16], textTypes: Set<String>) {
        self.name = name
        self.fields = fields.enumerated().map { ordinal, field in
            guard let number = numbers[field.name] else { preconditionFailure("every field has a number") }
            return FieldLayout(schema: field, ordinal: ordinal, slot: Int(number) - 1)
        }
        textFields = self.fields.filter { $0.schema.holdsTexts(textTypes) }
        slotCount = Int(numbers.values.max() ?? 0)
        isSequential = slotCount == fields.count && self.fields.allSatisfy { $0.slot == $0.ordinal }
        canonicalOrdinals = fields.indices.sorted {
            fields[$0].name.utf8.lexicographicallyPrecedes(fields[$1].name.utf8)
        }
        ordinals = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        memory.initialize(to: RowPlan(self))
    }

    deinit {
        memory.pointee.deallocate()
        memory.deallocate()
    }

    /// What encoders and decoders go by, valid while the layout lives.
    var plan: UnsafePointer<RowPlan> {
        @inline(__always) get { UnsafePointer(memory) }
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
@_spi(Adapters) public final class ModelLayout: Sendable {
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
    /// The layout that the store has, if this is the view of a build that knows fewer fields.
    private let whole: ModelLayout?
    /// How the code that opened the store sees the model's rows, where it knows fewer fields than the store has.
    let codeRow: RowLayout?

    init(
        number: UInt32, schema: ModelSchema, row: RowLayout, indexNumbers: [String: UInt16],
        whole: ModelLayout? = nil, codeRow: RowLayout? = nil
    ) {
        self.number = number
        self.whole = whole
        self.codeRow = codeRow
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

    /// Whether the model's records stay in this store: no event of theirs is ever sent to a server.
    public var isLocalOnly: Bool { schema.isLocalOnly }

    /// The layout that the store has: with every field, also those that the build at hand does not know.
    package var stored: ModelLayout { whole ?? self }

    /// Whether this is the view of a build that knows fewer fields than the store has.
    var isView: Bool { whole != nil }
}

/// One secondary index of a ``ModelLayout``.
@_spi(Adapters) public struct IndexLayout: Sendable {
    /// The number by which stored entries name the index, unique in its model.
    public let number: UInt16
    /// The index's name.
    public let name: String
    /// The indexed fields, in order.
    public let fields: [FieldLayout]
}

/// All layouts of a store's schema.
@_spi(Adapters) public final class SchemaLayout: Sendable {
    /// The schema that was laid out.
    public let schema: StoredSchema
    /// The models in declaration order.
    public let models: [ModelLayout]
    /// What the code that opened the store declares, if that is known.
    package let code: Schema?
    let embeddedTypes: [RowLayout]
    let typed = TypedLayouts()
    /// How the models' relations are followed.
    let relations: RelationLayouts
    private let byName: [String: ModelLayout]
    private let byNumber: [UInt32: ModelLayout]

    /// Lays out `schema`, which was validated.
    public convenience init(_ schema: StoredSchema) { self.init(schema, code: nil) }

    /// Lays out `schema`, which was validated, for code that declares `code`, of which it holds everything.
    init(_ schema: StoredSchema, code: Schema?) {
        self.schema = schema
        self.code = code
        let links = RowLinks(schema)
        embeddedTypes = links.embedded
        let codeLinks = code.map { RowLinks(schema, embeddedTypes: $0.embeddedTypes) }
        models = schema.declared.models.map { model in
            var codeRow: RowLayout?
            if let codeLinks, let declared = code?.model(named: model.name),
                declared.fields.count < model.fields.count || codeLinks.reachesViews(declared)
            {
                codeRow = codeLinks.row(of: model.restricted(to: declared.fields), schema)
            }
            return ModelLayout(
                number: schema.modelNumbers[model.name] ?? 0, schema: model, row: links.row(of: model, schema),
                indexNumbers: schema.indexNumbers[model.name] ?? [:], codeRow: codeRow)
        }
        byName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
        byNumber = Dictionary(uniqueKeysWithValues: models.map { ($0.number, $0) })
        relations = RelationLayouts(models, byName)
    }

    /// The model called `name`, if the schema has one.
    public func model(named name: String) -> ModelLayout? { byName[name] }

    /// The model with `number`, if the schema has one.
    public func model(numbered number: UInt32) -> ModelLayout? { byNumber[number] }

    /// The view of `model` that knows `fields` alone, each of which it has.
    func view(of model: ModelLayout, fields: [FieldSchema]) -> ModelLayout {
        let restricted = model.schema.restricted(to: fields)
        let links = RowLinks(schema, embeddedTypes: code?.embeddedTypes)
        return ModelLayout(
            number: model.number, schema: restricted, row: links.row(of: restricted, schema),
            indexNumbers: schema.indexNumbers[model.name] ?? [:], whole: model)
    }
}

/// What rows refer to: embedded types and enums.
private struct RowLinks {
    let embedded: [RowLayout]
    private let byName: [String: RowLayout]
    private let cases: [String: Set<String>]
    /// The embedded types that hold texts of a scalar with rules.
    private let textTypes: Set<String>
    /// The embedded types that know fewer fields than the store has, or in another order.
    private let views: Set<String>

    /// - Parameter embeddedTypes: The embedded types as a build of the code knows them; `nil` for those of the store.
    init(_ schema: StoredSchema, embeddedTypes: [EmbeddedSchema]? = nil) {
        let known = Dictionary((embeddedTypes ?? []).map { ($0.name, $0) }) { first, _ in first }
        var views = Set<String>()
        let textTypes = schema.declared.textTypes
        self.textTypes = textTypes
        embedded = schema.declared.embeddedTypes.map { type in
            let fields = known[type.name]?.fields ?? type.fields
            if fields.map(\.name) != type.fields.map(\.name) { views.insert(type.name) }
            return RowLayout(
                name: type.name, fields: fields, numbers: schema.fieldNumbers[type.name] ?? [:], textTypes: textTypes)
        }
        byName = Dictionary(uniqueKeysWithValues: embedded.map { ($0.name, $0) })
        cases = Dictionary(uniqueKeysWithValues: schema.declared.enums.map { ($0.name, Set($0.cases)) })
        self.views = views
        for layout in embedded { layout.link(byName, cases) }
    }

    /// The layout of the rows of `model`.
    func row(of model: ModelSchema, _ schema: StoredSchema) -> RowLayout {
        let layout = RowLayout(
            name: model.name, fields: model.fields, numbers: schema.fieldNumbers[model.name] ?? [:],
            textTypes: textTypes)
        layout.link(byName, cases)
        layout.retain(embedded)
        return layout
    }

    /// Whether rows of `model` hold embedded values of which not every field is known.
    func reachesViews(_ model: ModelSchema) -> Bool {
        guard !views.isEmpty else { return false }
        var unvisited = model.fields.map(\.type)
        var seen = Set<String>()
        while let type = unvisited.popLast() {
            switch type {
            case .list(let element, _): unvisited.append(element)
            case .embedded(let name):
                if views.contains(name) { return true }
                if seen.insert(name).inserted { unvisited += byName[name]?.fields.map(\.type) ?? [] }
            default: break
            }
        }
        return false
    }
}

extension ModelSchema {
    /// The model with those of its fields that `fields` names, in that order, and the indexes that need no others.
    fileprivate func restricted(to fields: [FieldSchema]) -> ModelSchema {
        var restricted = self
        restricted.fields = fields.compactMap { field(named: $0.name) }
        let names = Set(restricted.fields.map(\.name))
        restricted.indexes = indexes.filter { $0.fields.allSatisfy(names.contains) }
        return restricted
    }
}
