@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The open keyspaces of an environment in one state of its schema, by number.
final class Keyspaces: Sendable {
    /// The secondary indexes of one model that are complete and kept up to date.
    final class Indexes: Sendable {
        let list: ContiguousArray<Index>

        init(_ list: ContiguousArray<Index>) { self.list = list }

        /// The index with `number`, or `nil` if there is none.
        func index(numbered number: UInt16) -> Index? { list.first { $0.number == number } }
    }

    /// One secondary index.
    struct Index: Sendable {
        let number: UInt16
        let keyspace: Keyspace
        let components: ContiguousArray<IndexKey.Component>
    }

    /// The names of the entries of the keyspace `meta`.
    enum MetadataKey {
        static let checkpoint: StaticString = "checkpoint"
        static let layouts: StaticString = "layouts"
        static let construction: StaticString = "construction"
    }

    static let metadataName = "meta"
    private static let noIndexes = Indexes([])
    /// The largest number of places that are indexed by number. Only damage leads to higher places, which are found by name.
    private static let mostPlaces = 4_096

    let layouts: StoredLayouts
    let metadata: Keyspace?
    /// All keyspaces except the metadata: rows, index entries and auxiliary rows.
    let content: [Keyspace]
    private let tables: ContiguousArray<Keyspace?>
    private let indexes: ContiguousArray<Indexes>
    private let auxiliary: ContiguousArray<(name: String, keyspace: Keyspace)?>
    private let auxiliaryByName: [String: Keyspace]

    /// Opens the keyspaces in `layouts`. `open` returns the keyspace with a name.
    init(_ layouts: StoredLayouts, metadata: Keyspace?, _ open: (String) throws -> Keyspace) throws {
        self.layouts = layouts
        self.metadata = metadata
        // The keyspaces are opened first, so that a damaged number, for which there is no keyspace, allocates no memory.
        var content = try layouts.models.map { try open(StoredLayouts.name(ofModel: $0)) }
        var tables = ContiguousArray<Keyspace?>(repeating: nil, count: Int(layouts.models.max() ?? 0) + 1)
        for (number, keyspace) in zip(layouts.models, content) { tables[Int(number)] = keyspace }
        var lists = ContiguousArray<ContiguousArray<Index>>(repeating: [], count: tables.count)
        for index in layouts.indexes {
            let keyspace = try open(StoredLayouts.name(of: index))
            content.append(keyspace)
            guard !index.components.isEmpty, Int(index.model) < lists.count else { continue }
            lists[Int(index.model)].append(
                Index(number: index.number, keyspace: keyspace, components: index.components))
        }
        let places = layouts.auxiliary.map { Int($0.index) }.filter { $0 < Self.mostPlaces }
        var auxiliary = ContiguousArray<(name: String, keyspace: Keyspace)?>(
            repeating: nil, count: (places.max() ?? -1) + 1)
        var byName: [String: Keyspace] = [:]
        for table in layouts.auxiliary {
            let keyspace = try open(StoredLayouts.name(ofAuxiliary: table.name))
            if Int(table.index) < auxiliary.count { auxiliary[Int(table.index)] = (table.name, keyspace) }
            byName[table.name] = keyspace
            content.append(keyspace)
        }
        self.content = content
        self.tables = tables
        indexes = ContiguousArray(lists.map { $0.isEmpty ? Self.noIndexes : Indexes($0) })
        self.auxiliary = auxiliary
        auxiliaryByName = byName
    }

    /// The keyspace of the rows of `model`, or `nil` if the schema did not have the model yet.
    @inline(__always)
    func table(_ model: ModelLayout) -> Keyspace? {
        let number = Int(model.number)
        return number < tables.count ? tables[number] : nil
    }

    /// The indexes of `model`.
    @inline(__always)
    func indexes(_ model: ModelLayout) -> Indexes { indexes(numbered: model.number) }

    /// The indexes of the model with `number`.
    @inline(__always)
    func indexes(numbered number: UInt32) -> Indexes {
        Int(number) < indexes.count ? indexes[Int(number)] : Self.noIndexes
    }

    /// The keyspace of `table`, or `nil` if it was not created yet.
    @inline(__always)
    func auxiliary(_ table: AuxiliaryTable) -> Keyspace? {
        if table.index < auxiliary.count, let entry = auxiliary[table.index], entry.name == table.name {
            return entry.keyspace
        }
        return auxiliaryByName[table.name]
    }
}

extension Keyspaces {
    /// Creates the metadata of a new environment.
    static func create(in environment: GrowingEnvironment) throws {
        if try environment.withReader({ try $0.openKeyspace(named: metadataName) }) != nil { return }
        let transaction = try environment.beginWrite()
        let metadata = try transaction.openKeyspace(named: metadataName, create: true)
        try transaction.put(StoredLayouts(), in: metadata)
        try transaction.commit()
    }

    /// Opens all keyspaces of the last commit.
    static func open(_ environment: GrowingEnvironment) throws -> Keyspaces {
        let reader = try environment.take()
        defer { environment.give(reader) }
        guard let metadata = try reader.openKeyspace(named: metadataName) else {
            return try Keyspaces(StoredLayouts(), metadata: nil) { _ in throw damaged("a keyspace is missing") }
        }
        let layouts = try withBytes(of: MetadataKey.layouts) { try reader.get(metadata, $0) }
        guard let layouts else { throw damaged("the layouts are missing") }
        return try Keyspaces(try StoredLayouts(encoded: layouts), metadata: metadata) { name in
            guard let keyspace = try reader.openKeyspace(named: name) else { throw damaged("a keyspace is missing") }
            return keyspace
        }
    }

    /// Whether the keyspaces in the snapshot of `reader` differ from these.
    func isOutdated(in reader: ReadTransaction) throws -> Bool {
        guard let metadata else { return try reader.openKeyspace(named: Self.metadataName) != nil }
        let stored = try withBytes(of: MetadataKey.layouts) { try reader.get(metadata, $0) }
        return stored.flatMap(StoredLayouts.generation) != layouts.generation
    }
}

extension WriteTransaction {
    /// Stores `layouts`.
    func put(_ layouts: StoredLayouts, in metadata: Keyspace) throws {
        try withBytes(of: Keyspaces.MetadataKey.layouts) { key in
            try layouts.encoded.withUnsafeBytes { try put(metadata, key, $0) }
        }
    }
}
