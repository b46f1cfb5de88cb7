@_spi(Adapters) internal import TidelogCore

/// A reader with its schema, for cases that use records and ids rather than bytes.
struct ReadScope {
    let reader: any AdapterReader
    let schema: SchemaLayout

    func query(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        after id: RecordID? = nil
    ) throws -> StorageQuery {
        let model = try model(name)
        let afterKey = try id.map { id in try model.withKey(of: id) { Array($0) } }
        return try StorageQuery(model: model, predicate: predicate, sort: sort, page: page, afterKey: afterKey)
    }

    func model(_ name: String) throws -> ModelLayout {
        guard let model = schema.model(named: name) else { preconditionFailure("the case's schema has \(name)") }
        return model
    }

    /// The records in the result of a query, in its order. Every row must be stored under its own key.
    func records(_ query: StorageQuery) throws -> [Record] {
        var records: [Record] = []
        try reader.fetch(query) { stored in
            try expect(
                Array(stored.key), try query.model.primaryKey(of: stored.row), "A row comes with its own primary key.")
            records.append(try Record(stored.row, layout: query.model))
            return true
        }
        return records
    }

    func records(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        after id: RecordID? = nil
    ) throws -> [Record] {
        try records(try query(name, where: predicate, sort: sort, page: page, after: id))
    }

    /// The values of `id` of the records in the result of a query, in its order.
    func ids(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        after id: RecordID? = nil
    ) throws -> [String] {
        try records(name, where: predicate, sort: sort, page: page, after: id).map(\.id)
    }

    func count(_ name: String, where predicate: QueryPredicate = .all, page: Page = .all) throws -> Int {
        try reader.count(try query(name, where: predicate, page: page))
    }

    /// The record with `id`, or `nil` if there is none.
    func record(_ name: String, _ id: RecordID) throws -> Record? {
        let model = try model(name)
        return try model.withKey(of: id) { key in
            guard let stored = try reader.get(key, in: model) else { return nil }
            try expect(Array(stored.key), Array(key), "The row that get returns comes with the key asked for.")
            return try Record(stored.row, layout: model)
        }
    }

    /// The sequence number of the row with `id`, or `nil` if there is none.
    func sequence(_ name: String, _ id: RecordID) throws -> SequenceNumber? {
        let model = try model(name)
        return try model.withKey(of: id) { key in try reader.get(key, in: model)?.sequence }
    }

    /// The auxiliary value for the text `key`.
    func auxiliary(_ key: String, in table: AuxiliaryTable) throws -> [UInt8]? {
        try Array(key.utf8).withUnsafeBytes { key in
            try reader.auxiliaryValue(key, in: table).map { Array($0) }
        }
    }

    /// The keys and values of an auxiliary table, up to `limit` of them.
    func auxiliaryEntries(
        after key: [UInt8]? = nil, in table: AuxiliaryTable, limit: Int = .max
    ) throws -> [[[UInt8]]] {
        var entries: [[[UInt8]]] = []
        try reader.auxiliaryEntries(after: key, in: table) { key, value in
            entries.append([Array(key), Array(value)])
            return entries.count < limit
        }
        return entries
    }
}

extension Record {
    /// The text of the field `id`.
    var id: String {
        if case .string(let text)? = values["id"] { return text }
        return "no id"
    }
}
