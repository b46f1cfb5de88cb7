@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The readable metadata of a damaged log. Any of its values may be missing.
struct SalvagedMetadata {
    private(set) var store: StoreID?
    private(set) var adapter: String?
    private(set) var durability: Durability?
    private(set) var floor: Position?
    private(set) var droppedCount: UInt64 = 0
    private(set) var migration: MigrationMark?
    private(set) var consumers: [String: Position] = [:]
    /// Whether the tree of consumers is whole, so that all consumers were found.
    private(set) var hasConsumers = false

    /// - Throws: ``DataStoreError`` with code `newerFormat`.
    init(_ trees: SalvagedTrees) throws {
        if let tree = trees.keyspaces["meta"] {
            for entry in try trees.entries(of: tree).entries { try take(entry.key, entry.value) }
        }
        if let tree = trees.keyspaces["consumers"] {
            let (entries, isWhole) = try trees.entries(of: tree)
            hasConsumers = isWhole
            for entry in entries { takeConsumer(entry.key, entry.value) }
        }
        guard store == nil || floor == nil || !hasConsumers else { return }
        // Free pages contain older values. The floor and the positions of consumers only rise, so that their highest
        // values are used.
        let isKnown = store != nil && floor != nil
        try trees.forEachEntry { key, value in
            if !isKnown { try take(key, value) }
            if !hasConsumers { takeConsumer(key, value) }
        }
    }

    /// Adds the positions that the tail gives to consumers.
    mutating func move(_ places: [String: Position]) {
        for (name, position) in places where position.sequence >= consumers[name]?.sequence ?? .zero {
            consumers[name] = position
        }
    }

    private mutating func takeConsumer(_ key: [UInt8], _ value: [UInt8]) {
        guard value.count == 16, let name = String(validating: key, as: UTF8.self), name != LogMetadata.Name.store,
            name == ConsumerName.outbox || (try? ConsumerName.check(name)) != nil
        else { return }
        let position = Self.position(value)
        if let known = consumers[name], known.sequence >= position.sequence { return }
        consumers[name] = position
    }

    private mutating func take(_ key: [UInt8], _ value: [UInt8]) throws {
        guard let name = String(validating: key, as: UTF8.self) else { return }
        typealias Name = LogMetadata.Name
        switch (name, value.count) {
        case (Name.format, 4):
            let format = value.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
            if format > LogMetadata.format { throw DataStoreError.newerLog(format) }
        case (Name.store, 16):
            store = StoreID(high: Self.number(value, 0), low: Self.number(value, 8))
        case (Name.adapter, _): adapter = String(validating: value, as: UTF8.self)
        // Format 1 had a third durability, which is read as relaxed.
        case (Name.durability, 1): durability = Durability(rawValue: value[0]) ?? .relaxed
        case (Name.floor, 24):
            let position = Self.position(value)
            guard position.sequence.value < FoundEvent.sequenceLimit else { return }
            let count = min(Self.number(value, 16), position.sequence.value)
            // A compaction first raises the floor. It then raises the count with each slice of events that it drops.
            if let floor {
                guard (floor.sequence, droppedCount) < (position.sequence, count) else { return }
            }
            (floor, droppedCount) = (position, count)
        case (Name.migration, _): migration = value.withUnsafeBytes { MigrationMark(encoded: $0) }
        default: break
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }

    private static func position(_ bytes: [UInt8]) -> Position {
        Position(sequence: SequenceNumber(number(bytes, 0)), chain: number(bytes, 8))
    }
}
