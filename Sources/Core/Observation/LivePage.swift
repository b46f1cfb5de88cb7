/// The part of a query's result that a live query keeps in memory.
///
/// This part begins at the start of the result and is complete up to ``bound``. It contains the members that the page skips,
/// the page itself, and some members after the page, which replace members that the page loses. The type is a pure value
/// without access to a store.
struct LivePage<Value> {
    private let query: StorageQuery
    private let decode: (RowView, ModelLayout) throws -> Value
    private var members = LiveMembers<Value>()
    /// The order of each member by its key. It is empty for queries in key order, where the order is the key.
    private(set) var orders: [[UInt8]: [UInt8]] = [:]
    /// The order up to which all members are kept, or `nil` if the whole result is kept.
    private var bound: [UInt8]?
    /// Whether a member was added or removed since the items were last taken.
    private(set) var isTouched = true

    /// The number of members up to the page's end, or `nil` for all.
    let neededCount: Int?
    /// The largest number of members that a read leaves, or `nil` for all.
    let capacity: Int?

    init(_ query: StorageQuery, decode: @escaping (RowView, ModelLayout) throws -> Value) {
        self.query = query
        self.decode = decode
        neededCount = query.page.end.flatMap { $0 > .max / 4 ? nil : $0 }
        capacity = neededCount.map { $0 + min(max($0, 16), 1_024) }
    }

    /// The number of members.
    var count: Int { members.count }

    /// Whether the page lacks members that may exist in the rows.
    var isShort: Bool {
        guard bound != nil, let neededCount else { return false }
        return members.count < neededCount
    }

    /// Applies an event of the record with `key`. `row` is the record's new row, or `nil` if it was removed.
    mutating func apply(_ key: UnsafeRawBufferPointer, _ row: RowView?) throws {
        let key = Array(key)
        var order: [UInt8]?
        if let row, try query.filter.evaluate(row) {
            let place = try query.order(of: row, key: key)
            if bound.map({ !$0.precedes(place) }) ?? true { order = place }
        }
        let present = query.sort.isEmpty ? key : orders[key]
        if let present, present != order, members.remove(present) {
            orders[key] = nil
            isTouched = true
        }
        guard let order, let row else { return }
        try put(order, key, row)
        if let capacity, members.count > capacity + (capacity - (neededCount ?? 0)) { trim(to: capacity) }
    }

    /// Reads the part of the result after the last member from `rows`, up to ``capacity`` members in total.
    ///
    /// `rows` must contain all events that were applied.
    mutating func extend(from rows: any AdapterReader) throws {
        let missing = capacity.map { $0 - members.count }
        var fetchedCount = 0
        try rows.fetch(query.after(members.count, key: bound, limit: missing)) { row in
            let key = Array(row.key)
            try put(query.order(of: row.row, key: key), key, row.row)
            fetchedCount += 1
            return true
        }
        let isComplete = missing.map { fetchedCount < $0 } ?? true
        bound = isComplete ? nil : members.last?.order
    }

    private mutating func put(_ order: [UInt8], _ key: [UInt8], _ row: RowView) throws {
        var hasher = Hasher()
        hasher.combine(bytes: row.bytes)
        members.put(
            .init(order: order, key: key, value: try decode(row, query.model), fingerprint: hasher.finalize()))
        if !query.sort.isEmpty { orders[key] = order }
        isTouched = true
    }

    private mutating func trim(to count: Int) {
        while members.count > count { orders[members.removeLast().key] = nil }
        bound = members.last?.order
    }

    /// The page's items, with the fingerprints of their states. They are then no longer touched.
    mutating func takeItems() -> (items: [Value], fingerprints: [Int]) {
        isTouched = false
        let offset = query.page.offset
        let end = min(neededCount ?? members.count, members.count)
        guard offset < end else { return ([], []) }
        var items: [Value] = []
        var fingerprints: [Int] = []
        items.reserveCapacity(end - offset)
        fingerprints.reserveCapacity(end - offset)
        members.forEach(in: offset..<end) { member in
            items.append(member.value)
            fingerprints.append(member.fingerprint)
        }
        return (items, fingerprints)
    }
}

extension StorageQuery {
    /// The rows of the same result after its first `count` rows, at most `limit` of them. `key` is the last of these rows' key,
    /// if known.
    fileprivate func after(_ count: Int, key: [UInt8]?, limit: Int?) throws -> StorageQuery {
        let sort = Sort(self.sort.map { Sort.Key($0.field.name, isDescending: $0.isDescending) })
        guard sort.keys.isEmpty, let key else {
            return try StorageQuery(
                model: model, predicate: predicate, sort: sort, page: Page(offset: count, limit: limit))
        }
        return try StorageQuery(model: model, predicate: predicate, page: Page(limit: limit), afterKey: key)
    }

    /// The bytes by which `row` is sorted: the components of the sort, inverted where it is descending, followed by the key.
    ///
    /// No component's bytes are a prefix of another's (FORMATS, section 5), also when they are inverted. Comparing all bytes at
    /// once therefore has the same result as comparing component by component.
    func order(of row: RowView, key: [UInt8]) throws -> [UInt8] {
        guard !sort.isEmpty else { return key }
        var textByteCount = 0
        for (field, _) in sort { textByteCount += try row.value(field.slot)?.count ?? 0 }
        return try order(key, textByteCount) { try $0.appendComponent(of: row, field: sort[$1].field) }
    }

    /// The bytes by which a record is sorted that has `key`, and `values` in the fields of the sort.
    func order(of values: [FieldValue?], key: [UInt8]) -> [UInt8] {
        guard !sort.isEmpty else { return key }
        var textByteCount = 0
        for case .string(let text)? in values { textByteCount += text.utf8.count }
        return order(key, textByteCount) { $0.appendComponent(values[$1]) }
    }

    /// - Parameters:
    ///   - textByteCount: The number of bytes of all text values, or more.
    ///   - append: Appends the value of the sort's field at an index.
    private func order<Failure: Error>(
        _ key: [UInt8], _ textByteCount: Int, _ append: (inout KeyEncoder, Int) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        // U+0000 takes two bytes.
        let byteCount = key.count + textByteCount * 2 + sort.count * 16
        return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount throws(Failure) in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            var encoder = KeyEncoder(memory)
            for (index, part) in sort.enumerated() {
                let start = encoder.byteCount
                try append(&encoder, index)
                guard part.isDescending else { continue }
                for index in start..<encoder.byteCount { memory[index] = ~memory[index] }
            }
            key.withUnsafeBytes { encoder.append(raw: $0) }
            precondition(!encoder.isOverflowing, "the memory for a record's order is large enough")
            initializedCount = encoder.byteCount
        }
    }
}
