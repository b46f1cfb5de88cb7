/// Verifies a log: reads each event and checks its checksum, number, chain, commit and schema.
enum LogVerification {
    /// The result of a verification.
    struct Report: Sendable {
        var eventCount = 0
        var damaged: [(sequence: SequenceNumber, reason: String)] = []
        /// The last event before the first damage.
        var lastGood = SequenceNumber.zero
    }

    /// Verifies a log that was opened for checking.
    ///
    /// - Parameter progress: Called from time to time with the last event that was read.
    static func verify(_ log: EventLog, progress: ((SequenceNumber) throws -> Void)? = nil) throws -> Report {
        // No other part of this process writes this log, so that one view can stay open without a disadvantage.
        try translatingLogErrors("read the log") {
            let slices = try LogSlices(log, isHeld: true)
            return try verify(slices, progress: progress)
        }
    }

    /// - Parameter progress: Called from time to time with the last event that was read, while no view of the log is
    ///   open.
    static func verify(_ reader: LogSlices, progress: ((SequenceNumber) throws -> Void)? = nil) throws -> Report {
        var report = Report()
        let metadata = try reader.metadata()
        var state = State(floor: metadata.floor)
        var schemas: [UInt32: SequenceNumber] = [:]
        var isIndexed = Set<UInt32>()
        for (version, sequence) in try reader.schemaSequences() { schemas[version] = sequence }
        let strayed = try reader.forEachUnverified(paused: progress) { sequence, bytes in
            report.eventCount += 1
            var reason = state.check(sequence, bytes)
            if reason == nil, let event = try? EventView(bytes) {
                if event.kind == .schemaChanged { isIndexed.insert(event.schemaVersion) }
                if schemas[event.schemaVersion].map({ $0.value > sequence }) ?? true {
                    reason = "the log does not hold its schema"
                }
            }
            if let reason {
                report.damaged.append((SequenceNumber(sequence), reason))
            } else if report.damaged.isEmpty {
                report.lastGood = SequenceNumber(sequence)
            }
            return true
        }
        if let strayed {
            report.damaged.append(
                (SequenceNumber(strayed), "it is out of order: the events from here on could not be checked"))
        }
        for consumer in try reader.consumers() {
            if let reason = try reader.view().damage(of: consumer.position, floor: metadata.floor) {
                report.damaged.append((consumer.position.sequence, "the consumer \(consumer.name) \(reason)"))
            }
        }
        if !state.isAtCommitEnd {
            report.damaged.append((state.last.sequence, "the log ends in the middle of a commit"))
        }
        let kept = metadata.floor.sequence.value &- metadata.droppedCount
        if state.countBelowFloor != kept {
            report.damaged.append(
                (
                    metadata.floor.sequence,
                    "the log should have \(kept) events up to it and has \(state.countBelowFloor)"
                ))
        }
        for (version, sequence) in schemas where !isIndexed.contains(version) {
            report.damaged.append((sequence, "the schema \(version) is not there"))
        }
        return report
    }

    private struct State {
        let floor: Position
        var last: Position
        var isAtCommitEnd = true
        var countBelowFloor: UInt64 = 0

        init(floor: Position) {
            self.floor = floor
            last = floor
        }

        /// Checks the next event. Returns a description of the damage, or `nil`.
        mutating func check(_ sequence: UInt64, _ bytes: UnsafeRawBufferPointer) -> String? {
            if sequence <= floor.sequence.value { countBelowFloor += 1 }
            let event: EventView
            do throws(EventDamage) { event = try EventView(verifying: bytes, expecting: sequence) } catch {
                if sequence > floor.sequence.value {
                    last = Position(sequence: SequenceNumber(sequence), chain: 0)
                    isAtCommitEnd = true
                }
                return error.reason
            }
            // At or below the floor sequence numbers may be missing, so that the chain cannot be checked.
            guard sequence > floor.sequence.value else {
                return sequence == floor.sequence.value && event.chain != floor.chain
                    ? "its chain is not the floor's" : nil
            }
            let (before, wasAtCommitEnd) = (last, isAtCommitEnd)
            last = Position(sequence: event.sequence, chain: event.chain)
            isAtCommitEnd = event.isLastInCommit
            guard sequence == before.sequence.value &+ 1 else { return "events before it are missing" }
            // If the event before this one is damaged, its chain value is not known. It may also be the first event of
            // the commit.
            if before.chain == 0, before.sequence.value > 0 { return nil }
            if !event.follows(before.chain) { return "its chain does not follow the event before it" }
            if event.commitFirst.value > sequence || wasAtCommitEnd != (event.indexInCommit == 0) {
                return "its place in the commit is wrong"
            }
            return nil
        }
    }
}

extension LogReader {
    /// The damage of a consumer's position, `nil` if the position belongs to this log.
    fileprivate func damage(of position: Position, floor: Position) throws -> String? {
        guard position.sequence.value > floor.sequence.value else { return nil }
        guard let event = try? event(at: position.sequence) else { return "is at an event that is not there" }
        return event.chain == position.chain ? nil : "is at an event of another history"
    }
}

extension EventView {
    /// Whether the chain leads from the value `previous` to this event.
    package func follows(_ previous: UInt64) -> Bool {
        let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(EventFormat.bodyOffset))
        return Checksum.seal(body: body, length: UInt32(bytes.count), after: previous).chain == chain
    }
}
