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
