internal import TidelogLMDB

/// The metadata of the log, stored in its environment (FORMATS, section 2).
package struct LogMetadata: Sendable, Hashable {
    /// Format 1 had no tail.
    package static let format: UInt32 = 2
    /// The incarnation of a copy that has not been opened for writing yet.
    package static let copyIncarnation: UInt64 = 0
    /// The value of the durability in format 1 for a log that was never synced.
    private static let unsynced: UInt8 = 2

    /// The format that the log was written in.
    var format = Self.format
    var store: StoreID
    var incarnation: UInt64
    var adapter: String
    var durability: Durability
    /// The floor, with the chain value there. At or below the floor, sequence numbers may be missing.
    var floor: Position
    /// How many events compaction has dropped.
    var droppedCount: UInt64
    /// Whether an earlier version wrote the log without syncs.
    var wasUnsynced = false
    /// The progress of a migration, `nil` if no migration is in progress.
    var migration: MigrationMark?

    package enum Name {
        package static let format = "format"
        package static let store = "store"
        package static let incarnation = "incarnation"
        package static let adapter = "adapter"
        package static let durability = "durability"
        package static let floor = "floor"
        package static let boot = "boot"
        package static let migration = "migration"
        package static let tail = "tail"
    }

    static func isPresent(_ transaction: Transaction, _ keyspace: Keyspace) throws -> Bool {
        try transaction.value(Name.format, in: keyspace) != nil
    }

    package init(store: StoreID, incarnation: UInt64, adapter: String, durability: Durability) {
        self.store = store
        self.incarnation = incarnation
        self.adapter = adapter
        self.durability = durability
        floor = .start
        droppedCount = 0
    }

    init(_ transaction: Transaction, _ keyspace: Keyspace) throws {
        let number = { (name: String, count: Int) throws -> UnsafeRawPointer in
            guard let value = try transaction.value(name, in: keyspace), value.count == count,
                let base = value.baseAddress
            else { throw LogMetadata.damaged(name) }
            return UnsafeRawPointer(base)
        }
        let text = { (name: String) throws -> String in
            guard let value = try transaction.value(name, in: keyspace),
                let text = String(validating: value.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
            else { throw LogMetadata.damaged(name) }
            return text
        }
        let format = try number(Name.format, 4).load(0, as: UInt32.self)
        guard format <= Self.format else { throw DataStoreError.newerLog(format) }
        guard format >= 1 else { throw Self.damaged(Name.format) }
        self.format = format
        let identifier = try number(Name.store, 16)
        store = StoreID(high: identifier.load(0, as: UInt64.self), low: identifier.load(8, as: UInt64.self))
        incarnation = try number(Name.incarnation, 8).load(0, as: UInt64.self)
        adapter = try text(Name.adapter)
        let durability = try number(Name.durability, 1).load(0, as: UInt8.self)
        wasUnsynced = durability == Self.unsynced
        guard let known = wasUnsynced ? .relaxed : Durability(rawValue: durability) else {
            throw Self.damaged(Name.durability)
        }
        self.durability = known
        let floor = try number(Name.floor, 24)
        self.floor = Position(
            sequence: SequenceNumber(floor.load(0, as: UInt64.self)), chain: floor.load(8, as: UInt64.self))
        droppedCount = floor.load(16, as: UInt64.self)
        if let value = try transaction.value(Name.migration, in: keyspace) {
            guard let mark = MigrationMark(encoded: value) else { throw Self.damaged(Name.migration) }
            migration = mark
        }
    }

    func write(_ transaction: WriteTransaction, _ keyspace: Keyspace) throws {
        let put = { (name: String, bytes: [UInt8]) throws in
            try transaction.setValue(bytes, name, in: keyspace)
        }
        let removeValue = { (name: String) throws in try transaction.removeValue(name, in: keyspace) }
        try put(Name.format, Self.format.littleEndianBytes)
        try put(Name.store, store.high.littleEndianBytes + store.low.littleEndianBytes)
        try put(Name.incarnation, incarnation.littleEndianBytes)
        try put(Name.adapter, Array(adapter.utf8))
        try put(Name.durability, [durability.rawValue])
        try put(
            Name.floor,
            floor.sequence.value.littleEndianBytes + floor.chain.littleEndianBytes + droppedCount.littleEndianBytes)
        try removeValue(Name.boot)
        if let migration {
            try put(Name.migration, migration.encoded)
        } else {
            try removeValue(Name.migration)
        }
    }

    /// The number of the last group that the environment has absorbed from the tail.
    static func absorbedGroup(_ transaction: Transaction, _ keyspace: Keyspace) throws -> UInt64 {
        guard let value = try transaction.value(Name.tail, in: keyspace) else { return 0 }
        guard value.count == 8, let base = value.baseAddress else { throw damaged(Name.tail) }
        return UnsafeRawPointer(base).load(0, as: UInt64.self)
    }

    /// Notes that the environment has absorbed all groups up to `group`.
    static func noteAbsorbed(_ group: UInt64, _ transaction: WriteTransaction, _ keyspace: Keyspace) throws {
        try transaction.setValue(group.littleEndianBytes, Name.tail, in: keyspace)
    }

    private static func damaged(_ name: String) -> DataStoreError {
        DataStoreError(
            .logDamaged, "The log's metadata \(name) is missing or damaged.",
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// How far compaction has come. As long as two marks are equal, compaction has dropped nothing in between.
    struct CompactionMark: Sendable, Equatable {
        /// At or below the floor, sequence numbers may be missing.
        let floor: SequenceNumber
        private let droppedCount: UInt64

        init(_ metadata: LogMetadata) {
            floor = metadata.floor.sequence
            droppedCount = metadata.droppedCount
        }
    }
}

extension DataStoreError {
    package static func newerLog(_ format: UInt32) -> DataStoreError {
        DataStoreError(
            .newerFormat, "The log has format \(format); this version reads up to \(LogMetadata.format).",
            recovery: "Open the store with the version of Tidelog that wrote it, or a newer one.")
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the least significant first.
    package var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension [UInt8] {
    /// Appends the bytes of a number, the least significant first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension Transaction {
    /// The value under `name`. The result is valid as long as that of ``Transaction/get(_:_:)``.
    func value(_ name: String, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        var name = name
        return try name.withUTF8 { try get(keyspace, UnsafeRawBufferPointer($0)) }
    }
}

extension WriteTransaction {
    func removeValue(_ name: String, in keyspace: Keyspace) throws {
        var name = name
        _ = try name.withUTF8 { try delete(keyspace, UnsafeRawBufferPointer($0)) }
    }

    func setValue(_ bytes: [UInt8], _ name: String, in keyspace: Keyspace) throws {
        var name = name
        try name.withUTF8 { name in
            try bytes.withUnsafeBytes { try put(keyspace, UnsafeRawBufferPointer(name), $0) }
        }
    }
}
