/// A predicate that is compiled for one layout and evaluated on stored bytes, without decoding or allocating.
///
/// It defines the semantics of predicates (invariant 13). An adapter that filters in its own language must give the same
/// results.
@_spi(Adapters)
public final class RowPredicate: Sendable {
    private let nodes: ConstantMemory<Node>
    let constants: ConstantMemory<UInt8>
    /// The values of alternatives, sorted for each node of alternatives.
    let entries: ConstantMemory<Entry>
    private let values: [Value]
    /// Keeps the layouts of the model's rows and of their embedded values alive.
    private let layout: RowLayout

    /// Whether the predicate holds for all rows.
    public let isAlwaysTrue: Bool
    /// Whether the predicate is one comparison, which needs no interpretation.
    private let isComparison: Bool
    /// The range of the whole number in a slot, if the predicate is one comparison of it.
    private let range: (slot: Int, least: Int64, most: Int64)?

    struct Node {
        var operation: Operation
        var slot = 0
        /// The number of nodes of a group's members. They follow the group's node.
        var extent = 0
        var int: Int64 = 0
        var double = 0.0
        var instant = Temporal.Instant(seconds: 0)
        var constant: Range<Int> = 0..<0
        /// The number of bytes before the text in a temporal, if its text is compared.
        var skippedByteCount = 0
        var relation = Order.equal

        /// The whole numbers for which the comparison holds; `nil` if the node is no comparison of a whole number.
        var range: (slot: Int, least: Int64, most: Int64)? {
            guard operation == .int else { return nil }
            switch relation {
            case .equal: return (slot, int, int)
            case .lessOrEqual: return (slot, .min, int)
            case .greaterOrEqual: return (slot, int, .max)
            case .less: return int == .min ? (slot, 1, 0) : (slot, .min, int - 1)
            case .greater: return int == .max ? (slot, 1, 0) : (slot, int + 1, .max)
            }
        }
    }

    /// A value that is compared as a whole, with its field.
    struct Value {
        let value: FieldValue
        let field: FieldLayout
    }

    enum Operation: UInt8 {
        case and, or, not, missing, alternatives
        /// A predicate on the embedded value in a slot, or on at least one value of a list of them.
        case embedded, anyEmbedded
        case text, int, intWithDouble, double, doubleWithInt, bool, instant
        case beginsWith, endsWith, textContains, textListContains
        /// Comparisons of a number with the bytes of a text, or with the elements of a list.
        case textSize, listSize
        /// Comparisons of texts that ignore case.
        case foldedText, foldedBeginsWith, foldedEndsWith, foldedContains
        /// Equality or containment of decoded values: embedded values and lists.
        case valueEqual, valueContains

        /// Whether one value is compared with another.
        var isComparison: Bool {
            switch self {
            case .and, .or, .not, .missing, .alternatives, .embedded, .anyEmbedded: false
            default: true
            }
        }
    }

    enum Order: UInt8 {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }

    /// Compiles `predicate` for the rows of `model`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPredicate` if a field is unknown or a comparison does not fit its
    ///   type.
    public init(_ predicate: QueryPredicate, for model: ModelLayout) throws {
        var compiler = PredicateCompiler(model: model)
        try compiler.compile(predicate, depth: 0)
        layout = model.row
        isAlwaysTrue = predicate == .all
        isComparison = compiler.nodes.count == 1 && compiler.nodes[0].operation.isComparison
        range = compiler.nodes.count == 1 ? compiler.nodes[0].range : nil
        nodes = ConstantMemory(compiler.nodes)
        constants = ConstantMemory(compiler.constants)
        values = compiler.values
        entries = ConstantMemory(compiler.entries)
    }

    deinit {
        nodes.deallocate()
        constants.deallocate()
        entries.deallocate()
    }

    /// Whether the predicate holds for `row`.
    @inline(__always)
    public func evaluate(_ row: RowView) throws(RowDamage) -> Bool {
        if isAlwaysTrue { return true }
        if isComparison {
            guard let range else { return try compare(0, row) }
            guard let value = try row.int(range.slot) else { return false }
            return range.least <= value && value <= range.most
        }
        var counter = Uncounted()
        return try evaluate(0, row, &counter)
    }

    /// Whether the node at `index` holds for `row`. Each comparison is counted by `counter`.
    func evaluate(_ index: Int, _ row: RowView, _ counter: inout some ComparisonCounter) throws(RowDamage) -> Bool {
        // The node stays in its place, because copying it takes longer than a comparison.
        let node = nodes.start + index
        let (slot, end) = (node.pointee.slot, index + node.pointee.extent)
        switch node.pointee.operation {
        case .and:
            var member = index + 1
            while member <= end {
                if try !evaluate(member, row, &counter) { return false }
                member += 1 + nodes.start[member].extent
            }
            return true
        case .or:
            var member = index + 1
            while member <= end {
                if try evaluate(member, row, &counter) { return true }
                member += 1 + nodes.start[member].extent
            }
            return false
        case .not: return try !evaluate(index + 1, row, &counter)
        case .missing: return counter.admits(0) && !row.isPresent(slot)
        case .alternatives: return try evaluateAlternatives(node.pointee, row, &counter)
        case .embedded:
            guard let bytes = try row.value(slot) else { return false }
            return try evaluate(index + 1, try RowView(bytes), &counter)
        case .anyEmbedded:
            guard let bytes = try row.value(slot) else { return false }
            var list = try ListDecoder(bytes)
            for _ in 0..<list.count {
                guard let element = try list.nextBytes() else { continue }
                if try evaluate(index + 1, try RowView(element), &counter) { return true }
            }
            return false
        default:
            // The number of bytes is only needed if they are counted.
            let byteCount = counter.countsBytes ? try comparedByteCount(node.pointee, row) : 0
            guard counter.admits(byteCount) else { return false }
            return try compare(index, row)
        }
    }

    /// Whether the comparison of the node at `index` holds for `row`.
    private func compare(_ index: Int, _ row: RowView) throws(RowDamage) -> Bool {
        let node = nodes.start + index
        let (operation, relation, slot) = (node.pointee.operation, node.pointee.relation, node.pointee.slot)
        guard row.isPresent(slot) else { return false }
        switch operation {
        case .int:
            let value = try row.int(slot) ?? 0
            return Self.holds(relation, value < node.pointee.int ? -1 : (value == node.pointee.int ? 0 : 1))
        case .intWithDouble:
            return Self.holds(relation, NumberComparison.order(try row.int(slot) ?? 0, node.pointee.double))
        case .double:
            let value = try row.double(slot) ?? 0
            return Self.holds(relation, value < node.pointee.double ? -1 : (value == node.pointee.double ? 0 : 1))
        case .doubleWithInt:
            return Self.holds(relation, -NumberComparison.order(node.pointee.int, try row.double(slot) ?? 0))
        case .bool:
            let value: Int64 = try row.bool(slot) == true ? 1 : 0
            return Self.holds(relation, Int32(value - node.pointee.int))
        default: break
        }
        guard var bytes = try row.value(slot) else { return false }
        if node.pointee.skippedByteCount > 0 { bytes = try Self.dropping(node.pointee.skippedByteCount, of: bytes) }
        let constant = UnsafeRawBufferPointer(rebasing: constants.bytes[node.pointee.constant])
        switch operation {
        case .text: return Self.holds(relation, ByteComparison.order(bytes, constant))
        case .instant:
            let instant = try RowView.instant(bytes)
            return Self.holds(relation, instant < node.pointee.instant ? -1 : (instant == node.pointee.instant ? 0 : 1))
        case .beginsWith:
            return bytes.count >= constant.count
                && ByteComparison.order(UnsafeRawBufferPointer(rebasing: bytes[..<constant.count]), constant) == 0
        case .endsWith:
            return bytes.count >= constant.count
                && ByteComparison.order(
                    UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - constant.count)...]), constant) == 0
        case .foldedText: return CaseFolding.isEqual(bytes, constant)
        case .foldedBeginsWith: return CaseFolding.begins(bytes, with: constant)
        case .foldedEndsWith: return CaseFolding.ends(bytes, with: constant)
        case .foldedContains: return CaseFolding.contains(bytes, constant)
        case .textContains: return ByteSearch.contains(bytes, constant)
        case .textListContains: return try Self.list(bytes, contains: constant)
        case .textSize: return Self.holds(relation, Self.order(bytes.count, node.pointee.int))
        case .listSize: return Self.holds(relation, Self.order(try ListDecoder(bytes).count, node.pointee.int))
        case .valueEqual, .valueContains: return try compareValues(node.pointee, row)
        default: preconditionFailure("every operation is evaluated")
        }
    }

    private func compareValues(_ node: Node, _ row: RowView) throws(RowDamage) -> Bool {
        let constant = values[Int(node.int)]
        guard let value = try FieldValue(row, field: constant.field) else { return false }
        if node.operation == .valueEqual { return value == constant.value }
        guard case .list(let elements) = value else { return false }
        return elements.contains(constant.value)
    }

    @inline(__always)
    private static func holds(_ relation: Order, _ order: Int32) -> Bool {
        switch relation {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    private static func order(_ size: Int, _ number: Int64) -> Int32 {
        Int64(size) < number ? -1 : (Int64(size) == number ? 0 : 1)
    }

    private static func dropping(
        _ count: Int, of bytes: UnsafeRawBufferPointer
    ) throws(RowDamage) -> UnsafeRawBufferPointer {
        guard bytes.count >= count else { throw RowDamage("a temporal is cut") }
        return UnsafeRawBufferPointer(rebasing: bytes[count...])
    }

    private static func list(
        _ bytes: UnsafeRawBufferPointer, contains constant: UnsafeRawBufferPointer
    ) throws(RowDamage) -> Bool {
        var list = try ListDecoder(bytes)
        for _ in 0..<list.count {
            if let element = try list.nextBytes(), ByteComparison.order(element, constant) == 0 { return true }
        }
        return false
    }
}
