/// Reads every event of a log and checks it: checksum, number, chain, commit.
enum LogVerification {
    /// What was found.
    struct Report: Sendable {
        var eventCount = 0
        var damaged: [(sequence: SequenceNumber, reason: String)] = []
        /// The last event before the first damage.
        var lastGood = SequenceNumber.zero
    }

    /// - Parameter progress: Called now and then with the number of events read.
    static func verify(_ log: EventLog, progress: ((Int) -> Void)? = nil) throws -> Report {
        try log.withReader { reader in
            var report = Report()
            let metadata = try reader.metadata()
            var state = State(floor: metadata.floor)
            try reader.forEachUnverified { sequence, bytes in
                report.eventCount += 1
                if let reason = state.check(sequence, bytes) {
                    report.damaged.append((SequenceNumber(sequence), reason))
                } else if report.damaged.isEmpty {
                    report.lastGood = SequenceNumber(sequence)
                }
                if report.eventCount % 100_000 == 0 { progress?(report.eventCount) }
                return true
            }
            if !state.isAtCommitEnd {
                report.damaged.append((state.last.sequence, "the log ends in the middle of a commit"))
            }
            for consumer in try reader.consumers() {
                if let reason = try reader.damage(of: consumer.position, floor: metadata.floor) {
                    report.damaged.append((consumer.position.sequence, "the consumer \(consumer.name) \(reason)"))
                }
            }
            return report
        }
    }

    private struct State {
        let floor: Position
        var last: Position
        var isAtCommitEnd = true

        init(floor: Position) {
            self.floor = floor
            last = floor
        }

        /// Checks the next event; returns what is wrong with it.
        mutating func check(_ sequence: UInt64, _ bytes: UnsafeRawBufferPointer) -> String? {
            let event: EventView
            do throws(EventDamage) { event = try EventView(verifying: bytes, expecting: sequence) } catch {
                if sequence > floor.sequence.value { last = Position(sequence: SequenceNumber(sequence), chain: 0) }
                return error.reason
            }
            // At or below the floor numbers have holes, and the chain cannot be followed.
            guard sequence > floor.sequence.value else { return nil }
            defer {
                last = Position(sequence: event.sequence, chain: event.chain)
                isAtCommitEnd = event.isLastInCommit
            }
            guard sequence == last.sequence.value + 1 else { return "events before it are missing" }
            // A damaged event before this one has no chain to compare with.
            let follows = last.chain == 0 && last.sequence.value > 0 || event.follows(last.chain)
            if !follows { return "its chain does not follow the event before it" }
            if event.commitFirst.value > sequence || (isAtCommitEnd && event.indexInCommit != 0) {
                return "its place in the commit is wrong"
            }
            return nil
        }
    }
}

extension LogReader {
    /// What is wrong with a consumer's place, `nil` where it lies on this log.
    fileprivate func damage(of position: Position, floor: Position) throws -> String? {
        guard position.sequence.value > floor.sequence.value else { return nil }
        guard let event = try? event(at: position.sequence) else { return "is at an event that is not there" }
        return event.chain == position.chain ? nil : "is at an event of another history"
    }
}

extension EventView {
    /// Whether the chain goes from `previous` to this event.
    func follows(_ previous: UInt64) -> Bool {
        let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(EventFormat.bodyOffset))
        return Checksum.seal(body: body, length: UInt32(bytes.count), after: previous).chain == chain
    }
}
