/// Looks up whether a record's related records satisfy a predicate.
///
/// It keeps the answer for each related record, because many records may refer to the same one. It is used for one query in one
/// view of the rows.
final class RelationLookUp {
    private let relation: RelationLayout
    private let predicate: RowPredicate
    private var known: [[UInt8]: Bool] = [:]

    /// The largest number of answers that are kept. After that, all are removed.
    private static let knownCount = 10_000

    init(_ relation: RelationLayout, _ predicate: RowPredicate) {
        self.relation = relation
        self.predicate = predicate
    }

    func holds(for row: RowView, in reader: RelatedReader) throws -> Bool {
        switch relation.path {
        case .ownKey(let fields):
            return try fields.withKey(of: row, as: relation.target) { key in
                try key.map { try holds(under: [UInt8]($0), in: reader) } ?? false
            }
        case .otherFields(let own, let other, _):
            guard let values = try own.values(of: row) else { return false }
            var isFound = false
            try reader.rows.fetch(StorageQuery(model: relation.target, predicate: other.equal(values))) { row in
                isFound = try predicate.evaluate(row.row)
                return !isFound
            }
            return isFound
        case .join(let join, let own, let other):
            return try reader.keys(relation, in: join, own: own, other: other, of: row).contains {
                try holds(under: $0, in: reader)
            }
        }
    }

    /// Whether there is a record with `key` that satisfies the predicate.
    private func holds(under key: [UInt8], in reader: RelatedReader) throws -> Bool {
        if let answer = known[key] { return answer }
        let answer = try key.withUnsafeBytes { bytes in
            // The row is evaluated before the reader is used again, so it need not be copied.
            try reader.rows.get(bytes, in: relation.target).map { try predicate.evaluate($0.row) } ?? false
        }
        if known.count >= Self.knownCount { known.removeAll(keepingCapacity: true) }
        known[key] = answer
        return answer
    }
}
