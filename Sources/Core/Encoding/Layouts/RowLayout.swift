/// The places of the fields of a model or embedded type in its encoded rows, in one store.
///
/// A field's *ordinal* is its place in the declaration. Its *slot* is its number minus 1 (FORMATS, section 4). Both are equal
/// until a schema change drops or inserts fields.
@_spi(Adapters)
public final class RowLayout: @unchecked Sendable {  // Sound: mutated only while SchemaLayout is being built.
    /// The name of the model or embedded type.
    public let name: String
    /// The fields by ordinal.
    public let fields: [FieldLayout]
    /// The number of slots of a newly encoded row.
    public let slotCount: Int
    /// Whether each field's ordinal equals its slot, so that rows can be written from front to back.
    public let isSequential: Bool
    /// The fields with texts that must follow a scalar's rule, directly or inside an embedded value.
    let textFields: [FieldLayout]
    /// The fields with rules for their values.
    package let ruledFields: [(field: FieldLayout, rules: [ValidationRule])]
    private let memory = UnsafeMutablePointer<RowPlan>.allocate(capacity: 1)
    private let ordinals: [String: Int]
    private let canonicalOrdinals: [Int]
    /// The embedded types of a model's schema.
    ///
    /// Embedded types may refer to each other in a circle, so their fields do not keep each other alive. Instead, the layout of
    /// the model or of the schema does.
    private var embeddedTypes: [RowLayout] = []

    init(name: String, fields: [FieldSchema], numbers: [String: UInt16], textTypes: Set<String>) {
        self.name = name
        self.fields = fields.enumerated().map { ordinal, field in
            guard let number = numbers[field.name] else { preconditionFailure("every field has a number") }
            return FieldLayout(schema: field, ordinal: ordinal, slot: Int(number) - 1)
        }
        textFields = self.fields.filter { $0.schema.holdsTexts(textTypes) }
        ruledFields = self.fields.compactMap { field in
            let rules = field.schema.rules
            return rules.isEmpty ? nil : (field, rules)
        }
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

    /// The plan that encoders and decoders use. It is valid as long as this layout exists.
    var plan: UnsafePointer<RowPlan> {
        @inline(__always) get { UnsafePointer(memory) }
    }

    /// The fields sorted by name. The state hash uses this order.
    var canonicalFields: [FieldLayout] { canonicalOrdinals.map { fields[$0] } }

    /// The field called `name`, or `nil` if there is none.
    public func field(named name: String) -> FieldLayout? { ordinals[name].map { fields[$0] } }

    /// Keeps `embeddedTypes` alive as long as this layout of a model.
    fileprivate func retain(_ embeddedTypes: [RowLayout]) { self.embeddedTypes = embeddedTypes }

    fileprivate func link(_ embedded: [String: RowLayout], _ enums: [String: Set<String>]) {
        for field in fields { field.link(embedded, enums) }
    }
}

/// One model of a store: its number, the layout of its rows, its key and its indexes.
@_spi(Adapters) public final class ModelLayout: Sendable {
    /// The model's number in events and rows.
    public let number: UInt32
    /// The model's declaration in the schema.
    public let schema: ModelSchema
    /// The layout of the model's rows.
    public let row: RowLayout
    /// The fields of the primary key, in order.
    public let keyFields: [FieldLayout]
    /// The secondary indexes.
    public let indexes: [IndexLayout]
    /// The store's layout of the model, if this layout is the view of a build that has fewer fields.
    private let whole: ModelLayout?
    /// The rows' layout for the code that opened the store, if that code has fewer fields than the store.
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

    /// Whether the model's records stay in this store. Their events are never sent to a server.
    public var isLocalOnly: Bool { schema.isLocalOnly }

    /// The store's layout of the model, which has all fields, also fields that this build does not have.
    package var stored: ModelLayout { whole ?? self }

    /// Whether this layout is the view of a build that has fewer fields than the store.
    var isView: Bool { whole != nil }
}

/// One secondary index of a ``ModelLayout``.
@_spi(Adapters) public struct IndexLayout: Sendable {
    /// The index's number in stored entries. It is unique in its model.
    public let number: UInt16
    /// The index's name.
    public let name: String
    /// The indexed fields, in order.
    public let fields: [FieldLayout]
}

/// All layouts of a store's schema.
@_spi(Adapters) public final class SchemaLayout: Sendable {
    /// The schema of these layouts.
    public let schema: StoredSchema
    /// The models in declaration order.
    public let models: [ModelLayout]
    /// The schema that the code that opened the store declares, or `nil` if that is unknown.
    package let code: Schema?
    let embeddedTypes: [RowLayout]
    let typed = TypedLayouts()
    /// How the models' relations are followed.
    let relations: RelationLayouts
    private let byName: [String: ModelLayout]
    private let byNumber: [UInt32: ModelLayout]

    /// The layout of `schema`, which must be valid.
    public convenience init(_ schema: StoredSchema) { self.init(schema, code: nil) }

    /// The layout of `schema`, which must be valid and contain all of `code`. `code` is the schema that the code declares.
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

    /// The model called `name`, or `nil` if there is none.
    public func model(named name: String) -> ModelLayout? { byName[name] }

    /// The model with `number`, or `nil` if there is none.
    public func model(numbered number: UInt32) -> ModelLayout? { byNumber[number] }

    /// The view of `model` with only `fields`. The model must have all of them.
    func view(of model: ModelLayout, fields: [FieldSchema]) -> ModelLayout {
        let restricted = model.schema.restricted(to: fields)
        let links = RowLinks(schema, embeddedTypes: code?.embeddedTypes)
        return ModelLayout(
            number: model.number, schema: restricted, row: links.row(of: restricted, schema),
            indexNumbers: schema.indexNumbers[model.name] ?? [:], whole: model)
    }
}

/// The embedded types and enums to which rows refer.
private struct RowLinks {
    let embedded: [RowLayout]
    private let byName: [String: RowLayout]
    private let cases: [String: Set<String>]
    /// The embedded types that hold texts with a scalar's rule.
    private let textTypes: Set<String>
    /// The embedded types that have fewer fields than in the store, or their fields in another order.
    private let views: Set<String>

    /// - Parameter embeddedTypes: The embedded types as the code declares them, or `nil` for the store's embedded types.
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

    /// Whether rows of `model` hold embedded values with fields that the code does not declare.
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
    /// The model with only the fields that `fields` names, in that order, and the indexes that need no other fields.
    fileprivate func restricted(to fields: [FieldSchema]) -> ModelSchema {
        var restricted = self
        restricted.fields = fields.compactMap { field(named: $0.name) }
        let names = Set(restricted.fields.map(\.name))
        restricted.indexes = indexes.filter { $0.fields.allSatisfy(names.contains) }
        return restricted
    }
}
