@_spi(Adapters) internal import TidelogCore

/// Copies the good events of a damaged log to a new log.
///
/// Events are immutable, so that they keep their sequence numbers. Mutations and positions that name an event therefore
/// stay valid. Lost events become gaps, and the floor rises above the last gap.
struct LogSalvage {
    let survey: LogSurvey
    let schemas: SalvagedSchemas
    let files: DamagedLogFiles
    let target: SalvageTarget
    /// The incarnation of the events that salvage makes.
    let incarnation = UInt64.random(in: 1 ... .max)

    /// The layouts of the schemas that the caller gave, because the log had lost its own.
    private let given: [UInt32: SchemaLayout]
    var report = SalvageReport()
    /// The position of the last event that was written above the old floor, or the old floor.
    private(set) var last: Position
    private(set) var floor: Position
    /// Whether the floor must rise to the end of the commit that is being written.
    private var isBroken = false
    private var isChainBroken = false
    /// The last number for which the report already counts whether its event is lost.
    private var accounted: UInt64
    private var copiedBelowFloor: UInt64 = 0
    /// Whether the last event that was written ends a commit.
    private var isAtCommitEnd = true
    private var batch: [(sequence: UInt64, bytes: [UInt8])] = []
    private var batchByteCount = 0

    private static let batchByteCount = 8 << 20

    init(_ survey: LogSurvey, _ schemas: SalvagedSchemas, _ files: DamagedLogFiles, into target: SalvageTarget) {
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

    /// Copies every event. Before an event is written, it is passed to `body`.
    mutating func copyEvents(progress: ((SequenceNumber) -> Void)?, _ body: (EventView) throws -> Void) throws {
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

    /// Writes an event. Its number is higher than the numbers of all events before it.
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

    /// Adds the numbers between the last counted number and `number` to the gaps of the report.
    private mutating func account(before number: UInt64) {
        guard number > accounted + 1 else { return }
        report.gaps.append(SequenceNumber(accounted + 1)...SequenceNumber(number - 1))
        accounted = number - 1
    }

    /// Counts the lost events for the report.
    private mutating func count() {
        let lost = LogSurvey.NumberRanges(report.gaps.map { $0.lowerBound.value...$0.upperBound.value })
        var lostCount = lost.ranges.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound + 1) }
        let floor = survey.floor.sequence.value
        if survey.metadata.floor != nil {
            // Below the floor, gaps are normal. Lost events there can only be counted.
            let kept = floor - survey.metadata.droppedCount
            lostCount += kept > copiedBelowFloor ? kept - copiedBelowFloor : 0
        }
        // Events that were found but dropped do not count as lost.
        lostCount -= min(lostCount, UInt64(report.droppedCount))
        let damaged = survey.damaged.filter { !survey.contains($0) && ($0 <= floor || lost.contains($0)) }
        let damagedCount = min(UInt64(damaged.count), lostCount)
        report.damagedCount = Int(clamping: damagedCount)
        report.missingCount = Int(clamping: lostCount - damagedCount)
    }

    /// Adds sealed events after all other events, as separate commits.
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

    /// Replaces a lost schema by another one.
    private mutating func add(substitute version: UInt32, at sequence: UInt64) throws {
        let staged = StagedEvents()
        let before = Position(sequence: SequenceNumber(sequence - 1), chain: last.chain)
        staged.begin(after: before, wallClock: WallClock.microsecondsSince1970(), incarnation: incarnation)
        staged.beginCommit()
        try stageSchema(version, in: staged)
        try append(SealedEvents(sealing: staged, commitEnds: [staged.count]))
    }

    /// Stages the schema that replaces the lost schema with the number `version`.
    mutating func stageSchema(_ version: UInt32, in staged: StagedEvents) throws {
        guard let schema = schemas.byVersion[version] else { return }
        let header = EventHeader(kind: .schemaChanged, flags: .salvaged, schemaVersion: version)
        _ = try staged.stage(nil, key: nil, header: header, payload: SchemaCoding.encode(schema))
        report.replacedSchemas.append(version)
    }

    /// Whether the new log has a schema with the number `version`.
    func holdsSchema(_ version: UInt32) -> Bool {
        schemas.substitutes.contains { $0.version == version }
            || survey.events.contains { $0.kind == .schemaChanged && $0.schemaVersion == version }
    }

    /// Throws an error if the record of `event` cannot have been written under the schema that the caller gave.
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
        try target.append(batch)
        batch = []
        batchByteCount = 0
    }

    /// Sets the floor, the migration and the positions of consumers. A consumer keeps its position if the events there
    /// still exist.
    ///
    /// - Parameter known: The least position that each consumer had reached, for the case that not all positions could
    ///   be read.
    mutating func finish(consumersAtLeast known: [String: SequenceNumber] = [:]) throws {
        if isBroken || !isAtCommitEnd { floor = last }
        if let head = survey.head, head > last.sequence.value {
            // The numbers of events that are lost at the end of the log are not used again.
            last = Position(sequence: SequenceNumber(head), chain: last.chain)
            floor = last
        }
        count()
        let consumers = try places(of: survey.metadata.consumers, atLeast: known)
        let migration = survey.metadata.migration.flatMap { mark in
            // Some of the migrated records may be lost, so that the migration begins again.
            holdsSchema(mark.schemaVersion)
                ? MigrationMark(schemaVersion: mark.schemaVersion, sequence: mark.sequence) : nil
        }
        try target.finish(floor: floor, migration: migration, consumers: consumers)
    }

    /// The positions of the consumers in the new log.
    private mutating func places(
        of consumers: [String: Position], atLeast known: [String: SequenceNumber]
    ) throws -> [String: Position] {
        var places: [String: Position] = [:]
        for (name, position) in consumers {
            var place = position
            if place.sequence > last.sequence {
                place = last
            } else if place.sequence > floor.sequence, try target.chain(at: place.sequence) != place.chain {
                place = floor
            }
            places[name] = place
        }
        guard !survey.metadata.hasConsumers else { return places }
        for (name, sequence) in known where sequence > places[name]?.sequence ?? .zero {
            let reached = min(sequence, last.sequence)
            let chain = try target.chain(at: reached)
            places[name] = chain.map { Position(sequence: reached, chain: $0) } ?? floor
        }
        report.shortcomings.append(
            "Not all positions of consumers could be read. A consumer without a position begins again.")
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
