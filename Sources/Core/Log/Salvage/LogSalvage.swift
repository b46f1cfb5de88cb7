internal import TidelogLMDB

/// Copies what is good of a damaged log into a new one. Events are immutable, so they keep their numbers, and the mutations
/// and positions that name them go on meaning them: what is lost becomes holes, and the floor rises above the last of them.
struct LogSalvage {
    let survey: LogSurvey
    let schemas: SalvagedSchemas
    let files: DamagedLogFiles
    let target: EventLog
    /// What the events that salvage makes say of where they come from.
    let incarnation = UInt64.random(in: 1 ... .max)

    /// The layouts of schemas that are not the log's own.
    private let given: [UInt32: SchemaLayout]
    var report = SalvageReport()
    /// The last event written above the old floor, or the floor.
    private(set) var last: Position
    private(set) var floor: Position
    /// Whether the floor is to rise to the end of the commit that is being written.
    private var isBroken = false
    private var isChainBroken = false
    /// The last number of which it was said whether its event is lost.
    private var accounted: UInt64
    private var copiedBelowFloor: UInt64 = 0
    /// The last event written, and whether it ends a commit.
    private var isAtCommitEnd = true
    private var batch: [(sequence: UInt64, bytes: [UInt8])] = []
    private var batchByteCount = 0

    private static let batchByteCount = 8 << 20

    init(_ survey: LogSurvey, _ schemas: SalvagedSchemas, _ files: DamagedLogFiles, into target: EventLog) {
        self.survey = survey
        self.schemas = schemas
        self.files = files
        self.target = target
        given = schemas.byVersion.filter { schemas.given.contains($0.key) }.mapValues { SchemaLayout($0) }
        floor = survey.floor
        last = survey.floor
        accounted = survey.floor.sequence.value
        report.chainEnd = survey.floor.sequence
    }

    /// Copies every event, each of them handed to `body` first.
    mutating func copyEvents(
        progress: ((SequenceNumber) -> Void)?, _ body: (EventView) throws -> Void
    ) throws {
        var substitutes = schemas.substitutes[...]
        var places: [UInt32: UInt64] = [:]
        for found in survey.events {
            while let next = substitutes.first, next.sequence < found.sequence {
                try add(substitute: next.version, at: next.sequence)
                places[next.version] = next.sequence
                substitutes.removeFirst()
            }
            if found.kind == .schemaChanged {
                guard schemas.byVersion[found.schemaVersion] != nil, places[found.schemaVersion] == nil else {
                    report.droppedCount += 1
                    continue
                }
                places[found.schemaVersion] = found.sequence
            }
            guard places[found.schemaVersion] != nil else {
                report.droppedCount += 1
                continue
            }
            let bytes = try files.bytes(of: found)
            try bytes.withUnsafeBytes { bytes in
                let view: EventView
                do { view = try EventView(verifying: bytes, expecting: found.sequence) } catch {
                    throw DataStoreError.changedMeanwhile
                }
                try checkFit(view)
                try body(view)
            }
            let startsCommit = found.indexInCommit == 0
            try write(bytes, found.position, startsCommit, isLast: found.isLastInCommit, follows: found.follows)
            report.keptCount += 1
            if found.number <= survey.floor.sequence { copiedBelowFloor += 1 }
            if found.sequence % 100_000 == 0 { progress?(found.number) }
        }
        try flush()
        if let head = survey.head { account(before: head + 1) }
        report.lastSequence = last.sequence
    }

    /// Writes an event with a higher number than those before.
    private mutating func write(
        _ bytes: [UInt8], _ position: Position, _ startsCommit: Bool, isLast: Bool, follows: (UInt64) -> Bool
    ) throws {
        batch.append((position.sequence.value, bytes))
        batchByteCount += bytes.count
        if batchByteCount > Self.batchByteCount { try flush() }
        guard position.sequence > survey.floor.sequence else { return }
        account(before: position.sequence.value)
        accounted = max(accounted, position.sequence.value)
        let isNext = position.sequence.value == last.sequence.value + 1
        if !isNext || !follows(last.chain) || startsCommit != isAtCommitEnd {
            (isBroken, isChainBroken) = (true, true)
        }
        if !isChainBroken { report.chainEnd = position.sequence }
        last = position
        isAtCommitEnd = isLast
        if isBroken, isLast {
            floor = position
            isBroken = false
        }
    }

    /// Notes that the numbers before `number` of which nothing was said are those of lost events.
    private mutating func account(before number: UInt64) {
        guard number > accounted + 1 else { return }
        report.gaps.append(SequenceNumber(accounted + 1)...SequenceNumber(number - 1))
        accounted = number - 1
    }

    /// Says how much is lost.
    private mutating func count() {
        let lost = NumberRanges(report.gaps.map { $0.lowerBound.value...$0.upperBound.value })
        var lostCount = lost.ranges.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound + 1) }
        let floor = survey.floor.sequence.value
        if survey.metadata.floor != nil {
            // What is below the floor can only be counted.
            let kept = floor - survey.metadata.droppedCount
            lostCount += kept > copiedBelowFloor ? kept - copiedBelowFloor : 0
        }
        // What was left behind is not lost.
        lostCount -= min(lostCount, UInt64(report.droppedCount))
        let damaged = survey.damaged.filter { !survey.contains($0) && ($0 <= floor || lost.contains($0)) }
        let damagedCount = min(UInt64(damaged.count), lostCount)
        report.damagedCount = Int(clamping: damagedCount)
        report.missingCount = Int(clamping: lostCount - damagedCount)
    }

    /// Adds sealed events behind everything else, as commits of their own.
    mutating func append(_ sealed: SealedEvents) throws {
        try sealed.forEach { sequence, bytes in
            let view = try EventView(bytes)
            let position = Position(sequence: SequenceNumber(sequence), chain: view.chain)
            try write(
                Array(bytes), position, view.indexInCommit == 0, isLast: view.isLastInCommit, follows: view.follows)
        }
        try flush()
        report.lastSequence = sealed.end.sequence
    }

    /// Puts a schema in the place of one that is lost.
    private mutating func add(substitute version: UInt32, at sequence: UInt64) throws {
        let staged = StagedEvents()
        let before = Position(sequence: SequenceNumber(sequence - 1), chain: last.chain)
        staged.begin(after: before, wallClock: WallClock.microsecondsSince1970(), incarnation: incarnation)
        staged.beginCommit()
        try stageSchema(version, in: staged)
        try append(SealedEvents(sealing: staged, commitEnds: [staged.count]))
    }

    /// Stages the schema that is to be found under `version`.
    mutating func stageSchema(_ version: UInt32, in staged: StagedEvents) throws {
        guard let schema = schemas.byVersion[version] else { return }
        let header = EventHeader(kind: .schemaChanged, flags: .salvaged, schemaVersion: version)
        _ = try staged.stage(nil, key: nil, header: header, payload: SchemaCoding.encode(schema))
        report.replacedSchemas.append(version)
    }

    /// Whether a schema stands under `version` in the new log.
    func holdsSchema(_ version: UInt32) -> Bool {
        schemas.substitutes.contains { $0.version == version }
            || survey.events.contains { $0.kind == .schemaChanged && $0.schemaVersion == version }
    }

    /// Throws if a record cannot have been written under the schema that the caller gave.
    private func checkFit(_ event: EventView) throws {
        guard event.modelNumber != 0, let layout = given[event.schemaVersion] else { return }
        if let model = layout.model(numbered: event.modelNumber) {
            guard let row = event.row else { return }
            let key = (try? RowView(row)).flatMap { try? model.primaryKey(of: $0) }
            if let key, key.withUnsafeBytes({ ByteComparison.order($0, event.key) == 0 }) { return }
        }
        throw DataStoreError(
            .invalidSchema, "The schema that was given does not fit the records of the log.",
            recovery: "Give the schema that the store was created with, its models and fields in the same order.")
    }
}

extension LogSalvage {
    private mutating func flush() throws {
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
    ///
    /// - Parameter known: How far consumers had come at least, where their positions could not all be read.
    mutating func finish(consumersAtLeast known: [String: SequenceNumber] = [:]) throws {
        if isBroken || !isAtCommitEnd { floor = last }
        if let head = survey.head, head > last.sequence.value {
            // The numbers of events that are lost at the end are not given to others.
            last = Position(sequence: SequenceNumber(head), chain: last.chain)
            floor = last
        }
        count()
        let floor = floor
        let kept = try target.withReader { reader in
            var count: UInt64 = 0
            try reader.forEach(after: .zero) { event in
                guard event.sequence <= floor.sequence else { return false }
                count += 1
                return true
            }
            return count
        }
        let consumers = try places(of: survey.metadata.consumers, atLeast: known)
        let migration = survey.metadata.migration.flatMap { mark in
            // Some of what was done may be lost: it is done again.
            holdsSchema(mark.schemaVersion)
                ? MigrationMark(schemaVersion: mark.schemaVersion, sequence: mark.sequence) : nil
        }
        do throws(AppendFailure) {
            try target.update { transaction, metadata in
                metadata.floor = floor
                metadata.droppedCount = floor.sequence.value - kept
                metadata.migration = migration
                for (name, place) in consumers { try target.put(place, for: name, transaction) }
            }
        } catch { throw error.cause }
        try target.sync()
    }

    /// Where consumers go on.
    private mutating func places(
        of consumers: [String: Position], atLeast known: [String: SequenceNumber]
    ) throws -> [String: Position] {
        var places: [String: Position] = [:]
        let (floor, last) = (floor, last)
        try target.withReader { reader in
            for (name, position) in consumers {
                var place = position
                if place.sequence > last.sequence {
                    place = last
                } else if place.sequence > floor.sequence, try reader.event(at: place.sequence)?.chain != place.chain {
                    place = floor
                }
                places[name] = place
            }
            guard !survey.metadata.hasConsumers else { return }
            for (name, sequence) in known where sequence > places[name]?.sequence ?? .zero {
                let reached = min(sequence, last.sequence)
                let chain = try reader.event(at: reached)?.chain
                places[name] = chain.map { Position(sequence: reached, chain: $0) } ?? floor
            }
        }
        if !survey.metadata.hasConsumers {
            report.shortcomings.append(
                "Not all positions of consumers could be read: those that are missing begin again.")
        }
        return places
    }
}

extension DataStoreError {
    static var changedMeanwhile: DataStoreError {
        DataStoreError(
            .locked, "The store was written while it was salvaged.",
            recovery: "Close the program that writes it, then salvage again.")
    }
}
