/// Values with copies of their rows, so that their relations can be loaded together.
///
/// Each related record is looked up once, in the order of keys.
struct EagerLoading<Owner: Fetchable> {
    fileprivate let reader: RelatedReader
    fileprivate(set) var values: [Owner] = []
    private let arena = ByteArena()
    private var rows: [Range<Int>] = []
    /// Hashes every row that is read, if the caller compares results.
    private var hasher: Hasher?

    init(_ reader: RelatedReader, isCompared: Bool = false) {
        self.reader = reader
        hasher = isCompared ? Hasher() : nil
    }

    /// A hash that distinguishes these rows, in their order, from other rows.
    var fingerprint: Int { hasher?.finalize() ?? 0 }

    /// Adds a row that was read to the hash. `nil` means that the row does not exist.
    private mutating func note(_ row: RowView?) {
        hasher?.combine(row == nil)
        if let row { hasher?.combine(bytes: row.bytes) }
    }

    mutating func append(_ row: RowView, _ model: ModelLayout) throws {
        note(row)
        try Owner.append(row, model, store: reader.store, to: &values)
        let start = arena.count
        arena.append(row.bytes)
        rows.append(start..<arena.count)
    }

    fileprivate func row(_ index: Int) throws -> RowView { try RowView(arena[rows[index]]) }

    /// The records of `query` together with the related records that it includes.
    static func load(_ query: Query<Owner>, in reader: RelatedReader, isCompared: Bool = false) throws -> Self {
        let model = try reader.layout.model(of: query)
        var loading = Self(reader, isCompared: isCompared)
        try RecordQuery(query, model, in: reader).fetch { row in
            try loading.append(row.row, model)
            return true
        }
        for inclusion in query.inclusions { try inclusion.load(&loading) }
        return loading
    }

    /// The records under `keys` to which `relation` leads, decoded with the layout of `model`.
    fileprivate mutating func load<Target: Model>(
        _ keys: [[UInt8]], _ relation: RelationLayout, _ model: ModelLayout
    ) throws -> [[UInt8]: Target] {
        var loaded: [[UInt8]: Target] = [:]
        let reader = reader
        for key in keys.sortedAndUnique() {
            loaded[key] = try reader.withRow(under: key, in: relation.target) { row in
                note(row?.row)
                return try row.map { try Target.decoded($0.row, model, store: reader.store) }
            }
        }
        return loaded
    }

    /// For each value, the records whose fields `other` hold the same values as the value's fields `own`.
    fileprivate mutating func load<Target: Model>(
        _ relation: RelationLayout, _ model: ModelLayout, own: [FieldLayout], other: [FieldLayout], sort: Sort
    ) throws -> [[Target]] {
        let places = try values.indices.map { try own.orderedBytes(of: row($0)) }
        var loaded: [[UInt8]: [Target]] = [:]
        let reader = reader
        for index in values.indices.sorted(by: { (places[$0] ?? []).precedes(places[$1] ?? []) }) {
            guard let place = places[index], loaded[place] == nil, let values = try own.values(of: row(index)) else {
                continue
            }
            var records: [Target] = []
            try RecordQuery(
                relation.target, where: other.equal(values), sort: sort,
                page: relation.isToMany ? .all : .first(1), in: reader
            ).fetch { row in
                note(row.row)
                try Target.append(row.row, model, store: reader.store, to: &records)
                return true
            }
            loaded[place] = records
        }
        return places.map { place in place.flatMap { loaded[$0] } ?? [] }
    }
}

extension EagerLoading where Owner: Model {
    /// Loads the related records of `relation` for all values.
    mutating func load<Target>(_ relation: Relation<Owner, Target>) throws {
        let found = try reader.layout.relation(relation)
        let model = try reader.layout.model(of: Target.self)
        let records: [[Target]]
        switch found.path {
        case .ownKey(let fields):
            let keys = try values.indices.map { try fields.key(of: row($0), as: found.target) }
            let loaded: [[UInt8]: Target] = try load(keys.compactMap { $0 }, found, model)
            records = keys.map { key in key.flatMap { loaded[$0] }.map { [$0] } ?? [] }
        case .otherFields(let own, let other, let order):
            records = try load(found, model, own: own, other: other, sort: Sort(order.map { Sort.Key($0) }))
        case .join(let join, let own, let other):
            let keys = try values.indices.map { try reader.keys(found, in: join, own: own, other: other, of: row($0)) }
            let loaded: [[UInt8]: Target] = try load(keys.flatMap { $0 }, found, model)
            records = keys.map { $0.compactMap { loaded[$0] } }
        }
        for index in values.indices {
            relation.assign(&values[index], LazyRelation(loaded: records[index], from: reader.store))
        }
    }
}

extension [FieldLayout] {
    /// Bytes that sort like the values of these fields in `row`, and are equal if these are equal. `nil` if a value is missing.
    func orderedBytes(of row: RowView) throws -> [UInt8]? {
        var byteCount = 0
        for field in self {
            guard let value = try row.value(field.slot) else { return nil }
            byteCount += value.count * 2 + 16  // U+0000 takes two bytes.
        }
        return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(buffer))
            for field in self { try encoder.appendComponent(of: row, field: field) }
            initializedCount = encoder.byteCount
        }
    }
}
