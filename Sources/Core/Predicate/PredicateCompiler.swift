/// Checks a predicate against a model and flattens it into the nodes that ``RowPredicate`` evaluates.
struct PredicateCompiler {
    let model: ModelLayout
    /// The layout with the fields at hand: the model's rows, or an embedded value in them.
    var row: RowLayout
    /// The path from the model to ``row`` for messages, for example `address.`.
    private var path = ""
    var nodes: [RowPredicate.Node] = []
    var constants: [UInt8] = []
    var values: [RowPredicate.Value] = []
    var entries: [RowPredicate.Entry] = []

    static let maximumDepth = 200

    init(model: ModelLayout) {
        self.model = model
        row = model.row
    }

    mutating func compile(_ predicate: QueryPredicate, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw Self.tooDeep(model) }
        switch predicate {
        case .all: nodes.append(.init(operation: .and))
        case .and(let members): try group(.and, members, depth)
        case .or(let members): try alternatives(members, depth)
        case .not(let member): try group(.not, [member], depth)
        case .field(let name, let comparison):
            guard let field = row.field(named: name) else { throw unknownField(name) }
            try compile(comparison, of: field)
        case .related(let name, let inner):
            if let field = row.field(named: name) { return try inside(field, inner, depth) }
            guard model.schema.associations.contains(where: { $0.name == name }) else { throw unknownField(name) }
            throw DataStoreError(
                .invalidPredicate,
                "The predicate on \(model.name) follows the relation \(name). Only queries can, and only one relation.",
                model: model.name,
                recovery: "To check a related record, read it inside `write` and decide there.")
        }
    }

    /// The error for a name that is neither a field nor a relation.
    private func unknownField(_ name: String) -> DataStoreError {
        let relations = path.isEmpty ? model.schema.associations.map(\.name) : []
        let names = row.fields.map { path + $0.name } + relations
        return .unknownField(path + name, of: model.name, among: names)
    }

    static func tooDeep(_ model: ModelLayout) -> DataStoreError {
        DataStoreError(
            .invalidPredicate, "The predicate on \(model.name) nests deeper than \(maximumDepth).", model: model.name,
            recovery: "Flatten the predicate.")
    }

    /// Compiles a predicate on the embedded value in `field`, or on a list of embedded values. In any other value, only its
    /// size or its text can be compared.
    private mutating func inside(_ field: FieldLayout, _ inner: QueryPredicate, _ depth: Int) throws {
        let operation: RowPredicate.Operation
        switch field.type {
        case .embedded: operation = .embedded
        case .list(.embedded, _): operation = .anyEmbedded
        default: return try part(of: field, inner)
        }
        guard let embedded = field.embedded else { preconditionFailure("an embedded field has a layout") }
        let (outerRow, outerPath, index) = (row, path, nodes.count)
        row = embedded
        path = "\(path)\(field.name)."
        nodes.append(.init(operation: operation, slot: field.slot))
        try compile(inner, depth: depth + 1)
        nodes[index].extent = nodes.count - index - 1
        row = outerRow
        path = outerPath
    }

    mutating func group(_ operation: RowPredicate.Operation, _ members: [QueryPredicate], _ depth: Int) throws {
        let index = nodes.count
        nodes.append(.init(operation: operation))
        for member in members { try compile(member, depth: depth + 1) }
        nodes[index].extent = nodes.count - index - 1
    }

    /// Compiles with `body`. Messages name fields with `prefix`.
    mutating func asPart(named prefix: String, _ body: (inout PredicateCompiler) throws -> Void) rethrows {
        let outerPath = path
        path += prefix
        try body(&self)
        path = outerPath
    }

    mutating func negated(_ body: (inout PredicateCompiler) throws -> Void) rethrows {
        let index = nodes.count
        nodes.append(.init(operation: .not))
        try body(&self)
        nodes[index].extent = nodes.count - index - 1
    }

    mutating func compile(_ comparison: QueryPredicate.Comparison, of field: FieldLayout) throws {
        switch comparison {
        case .equal(nil): nodes.append(.init(operation: .missing, slot: field.slot))
        case .notEqual(nil): try negated { try $0.compile(.equal(nil), of: field) }
        case .equal(let value?): try compare(field, .equal, value)
        case .notEqual(let value?): try negated { try $0.compare(field, .equal, value) }
        case .less(let value): try compare(field, .less, value)
        case .lessOrEqual(let value): try compare(field, .lessOrEqual, value)
        case .greater(let value): try compare(field, .greater, value)
        case .greaterOrEqual(let value): try compare(field, .greaterOrEqual, value)
        case .between(let lower, let upper):
            let index = nodes.count
            nodes.append(.init(operation: .and))
            try compare(field, .greaterOrEqual, lower)
            try compare(field, .lessOrEqual, upper)
            nodes[index].extent = nodes.count - index - 1
        case .beginsWith(let prefix):
            guard field.type.isText else { throw misfit(field, "beginsWith needs a text field") }
            nodes.append(.init(operation: .beginsWith, slot: field.slot, constant: constant(Array(prefix.utf8))))
        case .endsWith(let suffix):
            guard field.type.isText else { throw misfit(field, "endsWith needs a text field") }
            nodes.append(.init(operation: .endsWith, slot: field.slot, constant: constant(Array(suffix.utf8))))
        case .ignoringCase(let comparison, let text):
            guard field.type.isText else { throw misfit(field, "ignoringCase needs a text field") }
            nodes.append(
                .init(
                    operation: .init(folded: comparison), slot: field.slot,
                    constant: constant(CaseFolding.folded(text))))
        case .contains(let value): try contains(field, value)
        case .notContains(let value): try negated { try $0.contains(field, value) }
        }
    }

    private mutating func contains(_ field: FieldLayout, _ value: FieldValue) throws {
        var node = RowPredicate.Node(operation: .textContains, slot: field.slot)
        switch (field.type, value) {
        case (.id, .string(let part)), (.string, .string(let part)), (.enumeration, .string(let part)):
            node.constant = constant(Array(part.utf8))
        case (.list(let element, _), .string(let text)) where element.isText:
            node.operation = .textListContains
            node.constant = constant(Array(text.utf8))
        case (.list(let element, _), _):
            guard let value = QueryPredicate.constant(value, for: element, field: field) else {
                throw misfit(field, "the element has another type")
            }
            node.operation = .valueContains
            node.int = Int64(values.count)
            values.append(.init(value: value, field: field))
        default: throw misfit(field, "contains needs a text or list field and a value of its type")
        }
        nodes.append(node)
    }

    private mutating func compare(_ field: FieldLayout, _ relation: RowPredicate.Order, _ value: FieldValue) throws {
        guard field.type.isOrdered || relation == .equal else { throw misfit(field, "it has no order") }
        guard let value = QueryPredicate.constant(value, for: field.type, field: field) else {
            throw misfit(field, "the value has another type")
        }
        var node = RowPredicate.Node(operation: .int, slot: field.slot)
        node.relation = relation
        switch (field.type, value) {
        case (.double, .int(let number)):
            node.operation = .doubleWithInt
            node.int = number
        case (_, .int(let number)): node.int = number
        case (.double, .double(let number)):
            node.operation = .double
            node.double = number
        case (_, .double(let number)):
            node.operation = .intWithDouble
            node.double = number
        case (_, .bool(let flag)):
            node.operation = .bool
            node.int = flag ? 1 : 0
        case (_, .string(let text)):
            node.operation = .text
            node.constant = constant(Array(text.utf8))
        case (_, .date(let date)): node.setInstant(date.instant)
        case (_, .time(let time)): node.setInstant(time.instant)
        case (_, .dateTime(let dateTime)): node.setInstant(dateTime.instant)
        case (_, .embedded), (_, .list):
            node.operation = .valueEqual
            node.int = Int64(values.count)
            values.append(.init(value: value, field: field))
        }
        nodes.append(node)
    }

    mutating func constant(_ bytes: [UInt8]) -> Range<Int> {
        let start = constants.count
        constants += bytes
        return start..<constants.count
    }

    func misfit(_ field: FieldLayout, _ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidPredicate, "The predicate on \(model.name).\(path)\(field.name) does not fit its type: \(reason).",
            model: model.name, recovery: "Compare the field with a value of its type.")
    }
}

extension RowPredicate.Operation {
    fileprivate init(folded comparison: QueryPredicate.TextComparison) {
        self =
            switch comparison {
            case .equal: .foldedText
            case .beginsWith: .foldedBeginsWith
            case .endsWith: .foldedEndsWith
            case .contains: .foldedContains
            }
    }
}

extension RowPredicate.Node {
    fileprivate mutating func setInstant(_ value: Temporal.Instant) {
        operation = .instant
        instant = value
    }
}

extension QueryPredicate {
    /// `value` as a constant with which to compare a field of `type`, or `nil` if it does not fit.
    ///
    /// Numbers are not converted, because Int and Float are compared exactly. Texts become temporals if the field is a
    /// temporal.
    package static func constant(_ value: FieldValue, for type: FieldType, field: FieldLayout) -> FieldValue? {
        switch (type, value) {
        case (.double, .int), (.int, .double), (.timestamp, .double): return value.isUsableConstant ? value : nil
        default: return value.converted(to: type, of: field)
        }
    }
}

extension FieldValue {
    fileprivate var isUsableConstant: Bool {
        if case .double(let number) = self { return number.isFinite }
        return true
    }
}

/// Compiles comparisons of a part of a value that is not embedded: the size of a text or list, and the text of a temporal.
extension PredicateCompiler {
    /// A part of a value, by the name that it has in predicates.
    private enum Part: String {
        /// The number of UTF-8 bytes of a text or temporal's text, or the number of elements of a list.
        case size
        /// The text of a temporal.
        case text
    }

    /// Compiles `inner`, a comparison of a part of the value in `field`. It is false if there is no value.
    mutating func part(of field: FieldLayout, _ inner: QueryPredicate) throws {
        guard case .field(let name, let comparison) = inner, let part = Part(rawValue: name),
            field.has(part == .text), !comparison.isOfMissing
        else { throw misfit(field, "it holds no embedded value with fields of its own") }
        let index = nodes.count
        nodes.append(.init(operation: .and))
        negated { $0.nodes.append(.init(operation: .missing, slot: field.slot)) }
        let first = nodes.count
        try asPart(named: "\(field.name).") { compiler in
            let type = part == .size ? FieldType.int : .string
            let layout = FieldLayout(schema: FieldSchema(name, type), ordinal: field.ordinal, slot: field.slot)
            try compiler.compile(comparison, of: layout)
        }
        for leaf in first..<nodes.count {
            if nodes[leaf].operation == .intWithDouble { throw misfit(field, "its size is a whole number") }
            if nodes[leaf].operation == .int {
                nodes[leaf].operation = field.kind == .list ? .listSize : .textSize
            }
            nodes[leaf].skippedByteCount = field.type.isTemporal ? RowView.instantByteCount : 0
        }
        nodes[index].extent = nodes.count - index - 1
    }
}

extension FieldLayout {
    /// Whether values of this field have a text as a part, or otherwise a size.
    fileprivate func has(_ text: Bool) -> Bool {
        switch kind {
        case .date, .time, .dateTime: true
        case .id, .string, .enumeration, .list: !text
        case .int, .double, .bool, .timestamp, .embedded: false
        }
    }
}

extension FieldType {
    fileprivate var isTemporal: Bool {
        switch self {
        case .date, .time, .dateTime: true
        default: false
        }
    }
}

extension QueryPredicate.Comparison {
    /// Whether the comparison asks if there is a value. The parts of a value are never missing.
    fileprivate var isOfMissing: Bool {
        switch self {
        case .equal(nil), .notEqual(nil): true
        default: false
        }
    }
}
