internal import TidelogCore
internal import TidelogServer

/// Events of the log in order: new ones as they come, or earlier ones.
struct LogPage: Encodable, Sendable {
    /// The events, the oldest first.
    let events: [EventReport]
    /// The number of the last event that was looked at. The next question for new events begins after it.
    let through: UInt64
    /// The number after which the events were looked at. The next question for earlier events ends there.
    let after: UInt64
    /// The number of the log's last event.
    let head: UInt64

    /// The events that are asked for.
    struct Question: Sendable {
        /// New events come after this number, earlier events up to this number; `nil` for the latest events.
        enum Direction: Sendable {
            case after(SequenceNumber)
            case upTo(SequenceNumber?)
        }

        let direction: Direction
        let model: String?
        let limit: Int
        /// How long to wait for a new event.
        let patience: Duration

        init(_ request: HTTPRequest) throws {
            if let number = try request.number("after", in: 0 ... .max) {
                direction = .after(SequenceNumber(number))
            } else {
                direction = .upTo(try request.number("upTo", in: 0 ... .max).map { SequenceNumber($0) })
            }
            model = request.queryValue("model").flatMap { $0.isEmpty ? nil : $0 }
            limit = Int(try request.number("limit", in: 1...1_000) ?? 100)
            patience = .seconds(Int(try request.number("wait", in: 0...60) ?? 0))
        }
    }

    /// The most characters of a value.
    private static let valueLength = 120

    static func make(_ question: Question, of store: InspectedStore) async throws -> LogPage {
        if case .after(let sequence) = question.direction, question.patience > .zero {
            try await wait(for: question.patience, after: sequence, in: store)
        }
        return try await store.whileOpen { open in
            let head = try open.head.sequence
            switch question.direction {
            case .after(let sequence): return try await later(question, after: sequence, head, open)
            case .upTo(let end): return try await earlier(question, upTo: min(end ?? head, head), head, open)
            }
        }
    }

    private static func later(
        _ question: Question, after sequence: SequenceNumber, _ head: SequenceNumber, _ store: DataStore
    ) async throws -> LogPage {
        var found: [Event] = []
        var through = sequence
        if sequence < head {
            for try await event in store.events(after: sequence, through: head) {
                through = event.sequence
                if question.admits(event) { found.append(event) }
                if found.count == question.limit { break }
            }
            if found.count < question.limit { through = head }
            // The rows of another process may lack the newest events for a moment.
            try await store.waitUntil(through)
        }
        return LogPage(
            events: try EventReport.all(found, in: store, valueLength: valueLength), through: through.value,
            after: sequence.value, head: head.value)
    }

    /// The latest events up to `end`. They are looked for in windows, each twice as large as the one after it, because the log
    /// has gaps after a compaction, and because of events of other models.
    private static func earlier(
        _ question: Question, upTo end: SequenceNumber, _ head: SequenceNumber, _ store: DataStore
    ) async throws -> LogPage {
        var found: [Event] = []
        var (last, size) = (end.value, UInt64(question.limit))
        while last > 0, found.count < question.limit {
            let first = last - min(last, size)
            var events: [Event] = []
            for try await event in store.events(after: SequenceNumber(first), through: SequenceNumber(last))
            where question.admits(event) {
                events.append(event)
            }
            found = events + found
            (last, size) = (first, min(size * 2, 1 << 16))
        }
        let kept = Array(found.suffix(question.limit))
        // If events were left out, the next question begins with them.
        let after = kept.count < found.count ? (kept.first?.sequence.value ?? 1) - 1 : last
        return LogPage(
            events: try EventReport.all(kept, in: store, valueLength: valueLength), through: end.value, after: after,
            head: head.value)
    }

    /// Returns when the log has an event after `sequence`, or after a time.
    private static func wait(
        for patience: Duration, after sequence: SequenceNumber, in store: InspectedStore
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await store.whileOpen { _ = try await $0.eventWait().events(after: sequence) }
            }
            group.addTask { try await Task.sleep(for: patience) }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }
}

extension LogPage.Question {
    fileprivate func admits(_ event: Event) -> Bool { model == nil || event.model == model }
}
