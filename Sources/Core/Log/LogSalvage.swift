internal import TidelogLMDB

/// Copies what is good of a log into a new one. Events are immutable, so they keep their numbers, and the mutations and
/// positions that name them go on meaning them: what is lost becomes holes, and the floor rises above the last of them.
struct LogSalvage {
    /// Events of the commit being read.
    private var commit: [(sequence: UInt64, bytes: [UInt8])] = []
    private var isBroken = false
    /// Whether the commit being read does not follow the one before it.
    private var isDetached = false
    /// The chain at the last event read, `nil` where that one was damaged.
    private var chain: UInt64?
    private var last: UInt64 = 0
    private var schemas = Set<UInt32>()
    private(set) var report = SalvageReport()
    private var batch: [(sequence: UInt64, bytes: [UInt8])] = []
    private var batchByteCount = 0
    private var floor: Position
    private let oldFloor: SequenceNumber
    private let target: EventLog

    private static let batchByteCount = 8 << 20

    init(floor: Position, into target: EventLog) {
        self.target = target
        self.floor = floor
        oldFloor = floor.sequence
        last = floor.sequence.value
        chain = floor.chain
    }

    /// Copies everything that `reader` has that is good.
    mutating func run(_ reader: LogReader, progress: ((SequenceNumber) -> Void)?) throws {
        try reader.forEachUnverified { sequence, bytes in
            try take(sequence, bytes)
            if sequence % 100_000 == 0 { progress?(SequenceNumber(sequence)) }
            return true
        }
        dropCommit()
        guard !schemas.isEmpty else { throw EventLog.damaged("holds nothing that could be salvaged") }
        try write()
        report.lastSequence = batchEnd ?? floor.sequence
        try finish(reader)
    }

    private var batchEnd: SequenceNumber?

    private mutating func take(_ sequence: UInt64, _ bytes: UnsafeRawBufferPointer) throws {
        let isBelowFloor = sequence <= oldFloor.value
        if !isBelowFloor, sequence != last + 1 {
            report.missingCount += Int(sequence - last - 1)
            isBroken = true
            chain = nil
        }
        if !isBelowFloor { last = sequence }
        let event: EventView
        do throws(EventDamage) { event = try EventView(verifying: bytes, expecting: sequence) } catch {
            if error.isNewer { throw DataStoreError.damagedEvent(error, at: SequenceNumber(sequence)) }
            report.damagedCount += 1
            isBroken = true
            if !isBelowFloor { chain = nil }
            return
        }
        if event.kind != .schemaChanged, !schemas.contains(event.schemaVersion) { isBroken = true }
        if isBelowFloor {
            // Commits have holes here, so that each event stands for itself.
            defer { isBroken = false }
            guard event.kind == .schemaChanged || schemas.contains(event.schemaVersion) else {
                report.droppedCount += 1
                return
            }
            return try keep([(sequence, Array(bytes))])
        }
        let follows = chain.map { event.follows($0) } ?? false
        chain = event.chain
        if event.indexInCommit == 0 {
            dropCommit()
            isBroken = event.kind != .schemaChanged && !schemas.contains(event.schemaVersion)
            isDetached = !follows
        } else if commit.isEmpty || !follows {
            isBroken = true
        }
        commit.append((sequence, Array(bytes)))
        guard event.isLastInCommit else { return }
        if isBroken {
            dropCommit()
        } else {
            let whole = commit
            commit = []
            try keep(whole)
        }
        isBroken = false
    }

    /// A commit with a damaged or missing member is no commit: none of it is kept.
    private mutating func dropCommit() {
        report.droppedCount += commit.count
        commit = []
    }

    private mutating func keep(_ events: [(sequence: UInt64, bytes: [UInt8])]) throws {
        for event in events {
            let (kind, version) = try event.bytes.withUnsafeBytes { bytes in
                let view = try EventView(bytes)
                return (view.kind, view.schemaVersion)
            }
            if kind == .schemaChanged { schemas.insert(version) }
            batchByteCount += event.bytes.count
        }
        if let first = events.first, let end = events.last, first.sequence > oldFloor.value {
            let chain = try end.bytes.withUnsafeBytes { try EventView($0).chain }
            // Behind a hole the chain cannot be followed: the commit that comes next becomes the floor.
            if isDetached || first.sequence != (batchEnd ?? floor.sequence).value + 1 {
                floor = Position(sequence: SequenceNumber(end.sequence), chain: chain)
            }
            batchEnd = SequenceNumber(end.sequence)
        }
        batch += events
        report.keptCount += events.count
        if batchByteCount > Self.batchByteCount { try write() }
    }

    private mutating func write() throws {
        let keyspaces = target.keyspaces
        do throws(AppendFailure) {
            try target.write { transaction in
                for event in batch {
                    try withIntegerKey(event.sequence) { key in
                        try event.bytes.withUnsafeBytes { bytes in
                            try transaction.append(keyspaces.events, key, bytes)
                            let view = try EventView(bytes)
                            guard view.kind == .schemaChanged else { return }
                            try withIntegerKey(UInt64(view.schemaVersion)) { key in
                                try withUnsafeBytes(of: event.sequence.littleEndian) {
                                    try transaction.put(keyspaces.schemas, key, $0)
                                }
                            }
                        }
                    }
                }
            }
        } catch { throw error.cause }
        batch = []
        batchByteCount = 0
    }

    /// Sets the floor, and brings consumers along, as far as there still are events.
    private func finish(_ reader: LogReader) throws {
        let kept = try target.withReader { reader in
            var count: UInt64 = 0
            try reader.forEach(after: .zero) { event in
                guard event.sequence <= floor.sequence else { return false }
                count += 1
                return true
            }
            return count
        }
        let end = try target.withReader { try $0.head() } ?? floor
        let head = end.sequence > floor.sequence ? end : floor
        // What is too damaged to be read is begun anew.
        let consumers = (try? reader.consumers()) ?? []
        let migration = (try? reader.metadata())?.migration.flatMap { mark in
            // Some of what was done may be lost: it is done again.
            schemas.contains(mark.schemaVersion)
                ? MigrationMark(schemaVersion: mark.schemaVersion, sequence: mark.sequence) : nil
        }
        do throws(AppendFailure) {
            try target.update { transaction, metadata in
                metadata.floor = floor
                metadata.droppedCount = floor.sequence.value - kept
                metadata.migration = migration
                for consumer in consumers {
                    let place = consumer.position.sequence > head.sequence ? head : consumer.position
                    try target.put(place, for: consumer.name, transaction)
                }
            }
        } catch { throw error.cause }
        try target.sync()
    }
}

/// What salvaging a log found and copied.
public struct SalvageReport: Sendable, Hashable {
    /// Events copied.
    public internal(set) var keptCount = 0
    /// Events that were damaged.
    public internal(set) var damagedCount = 0
    /// Events above the floor that were not there at all.
    public internal(set) var missingCount = 0
    /// Good events that were left behind, because another of their commit, or their schema, is lost.
    public internal(set) var droppedCount = 0
    /// The last event copied.
    public internal(set) var lastSequence = SequenceNumber.zero
}
