internal import TidelogSchema

/// The records that the inbox asks the server for, one request for each. Questions are lost with a crash: the queries of the
/// next start bring the same records.
struct RecordQuestions: Sendable {
    fileprivate enum Phase: Sendable {
        case waiting(until: Int64)
        case asked(Inbox.RecordQuery, deadline: Int64)
        case appending(Inbox.RecordQuery)
    }

    /// The reasons for a question, and its state.
    struct Question: Sendable {
        fileprivate var phase: Phase
        /// Whether a base query waits for the answer.
        var isForSweep = false
        /// The version of a push or a response that may lack values; `nil` if none may.
        var version: UInt64?
        /// Whether an answer is only believed if it comes twice.
        var isBlind = false
        /// Whether a reason was added after the request was sent, so that its answer may be out of date.
        var isRenewed = false
        /// The number of requests without an answer.
        var failures = 0
        /// The number of answers that were older than the record here.
        var staleCount = 0
    }

    private var questions: [RecordReference: Question] = [:]
    /// The records with a question that waits, in the order in which they are asked for.
    private var waiting: [RecordReference] = []
    private var requestCount: UInt64 = 0
    private(set) var inFlightCount = 0
    /// The number of questions for pushes and responses alone.
    private(set) var hintCount = 0
    /// The number of failures since the last answer. If it is not zero, one request at a time tests whether the server answers.
    private var failures = 0
    private var nextProbe: Int64 = 0

    var isEmpty: Bool { questions.isEmpty }

    // MARK: Questions

    /// Adds a question, or a reason to the record's question.
    mutating func add(
        _ reference: RecordReference, forSweep: Bool = false, version: UInt64? = nil, isBlind: Bool = false, due: Int64
    ) {
        var question = questions[reference] ?? Question(phase: .waiting(until: due))
        let isNew = questions[reference] == nil
        let wasHint = !isNew && !question.isForSweep
        question.isForSweep = question.isForSweep || forSweep
        question.isBlind = question.isBlind || isBlind
        if !isNew, version != nil {
            if case .waiting = question.phase {} else { question.isRenewed = true }
        }
        question.version = version.map { max($0, question.version ?? 0) } ?? question.version
        hintCount += (question.isForSweep ? 0 : 1) - (wasHint ? 1 : 0)
        if case .waiting(let until) = question.phase { question.phase = .waiting(until: min(until, due)) }
        questions[reference] = question
        if isNew { waiting.append(reference) }
    }

    /// Removes the questions for pushes and responses that wait. Returns their models.
    mutating func dropHints() -> Set<String> {
        let hints = waiting.filter { !(questions[$0]?.isForSweep ?? true) }
        for reference in hints { remove(reference) }
        waiting.removeAll { questions[$0] == nil }
        return Set(hints.map(\.model))
    }

    private mutating func remove(_ reference: RecordReference) {
        if let question = questions.removeValue(forKey: reference), !question.isForSweep { hintCount -= 1 }
        assert(hintCount >= 0 && hintCount <= questions.count, "hints are questions")
    }

    /// The question to which `query` belongs; `nil` if its answer came already.
    func question(of query: Inbox.RecordQuery) -> Question? {
        guard let question = questions[query.reference] else { return nil }
        switch question.phase {
        case .asked(query, _), .appending(query): return question
        case .asked, .appending, .waiting: return nil
        }
    }

    /// Whether the answer to this request has not come yet.
    func isAsked(_ query: Inbox.RecordQuery) -> Bool {
        if case .asked(query, _)? = questions[query.reference]?.phase { true } else { false }
    }

    // MARK: Requests

    /// The requests to make now. At most `limit` are in flight.
    mutating func next(at now: Int64, head: SequenceNumber, limit: Int, timeLimit: Int64) -> [Inbox.RecordQuery] {
        let limit = failures == 0 ? limit : now >= nextProbe ? 1 : 0
        var queries: [Inbox.RecordQuery] = []
        var index = 0
        while inFlightCount < limit, index < waiting.count {
            let reference = waiting[index]
            guard case .waiting(let until)? = questions[reference]?.phase, until <= now else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            requestCount += 1
            inFlightCount += 1
            let query = Inbox.RecordQuery(reference: reference, number: requestCount, head: head)
            questions[reference]?.phase = .asked(query, deadline: now + timeLimit)
            queries.append(query)
        }
        return queries
    }

    /// The requests whose time is over.
    func late(at now: Int64) -> [Inbox.RecordQuery] {
        guard inFlightCount > 0 else { return [] }
        return questions.values.compactMap { question in
            if case .asked(let query, let deadline) = question.phase, deadline <= now { query } else { nil }
        }.sorted { $0.number < $1.number }
    }

    /// Records a usable answer, which is appended next.
    mutating func answered(_ query: Inbox.RecordQuery) {
        failures = 0
        inFlightCount -= 1
        assert(inFlightCount >= 0, "a request is answered once")
        questions[query.reference]?.phase = .appending(query)
    }

    /// Ends a question: its answer was appended, or none will come.
    mutating func end(_ reference: RecordReference) -> Question? {
        guard let question = questions[reference] else { return nil }
        switch question.phase {
        case .waiting: waiting.removeAll { $0 == reference }
        case .asked: inFlightCount -= 1
        case .appending: break
        }
        remove(reference)
        return question
    }

    /// Makes the request wait and be repeated, because its answer is older than the record here.
    mutating func repeatStale(_ query: Inbox.RecordQuery, at time: Int64) {
        failures = 0
        questions[query.reference]?.staleCount += 1
        postpone(query.reference, until: time)
    }

    /// Makes a request be repeated, because a reason was added after it was sent.
    mutating func repeatRenewed(_ query: Inbox.RecordQuery, at time: Int64) {
        failures = 0
        questions[query.reference]?.isRenewed = false
        questions[query.reference]?.staleCount = 0
        postpone(query.reference, until: time)
    }

    /// Makes a request without an answer wait and be repeated.
    mutating func repeatFailed(
        _ query: Inbox.RecordQuery, retryAfter: Int64?, _ backoff: Backoff, at now: Int64, jitter: UInt64
    ) {
        guard var question = questions[query.reference] else { return }
        question.failures += 1
        failures += 1
        let wait = max(
            backoff.wait(after: question.failures, jitter: jitter), min(retryAfter ?? 0, backoff.maximum))
        questions[query.reference] = question
        postpone(query.reference, until: now + wait)
        nextProbe = now + min(wait, backoff.wait(after: failures, jitter: jitter >> 8))
    }

    /// Makes the request wait.
    mutating func postpone(_ reference: RecordReference, until time: Int64) {
        if case .asked? = questions[reference]?.phase { inFlightCount -= 1 }
        questions[reference]?.phase = .waiting(until: time)
        waiting.append(reference)
    }

    /// Makes all requests in flight wait, because there is no network.
    mutating func release(at now: Int64) {
        let queries = questions.values.compactMap { question in
            if case .asked(let query, _) = question.phase { query } else { nil }
        }
        for query in queries.sorted(by: { $0.number < $1.number }) { postpone(query.reference, until: now) }
    }

    /// Ends all pauses that are due to failures.
    mutating func hurry(at now: Int64) {
        (failures, nextProbe) = (0, 0)
        for reference in waiting where (questions[reference]?.failures ?? 0) > 0 {
            questions[reference]?.phase = .waiting(until: now)
        }
    }

    /// The time of the next request or of the next time limit; `nil` if there is none.
    func nextWake(limit: Int) -> Int64? {
        var time: Int64?
        func add(_ other: Int64) { time = min(time ?? other, other) }
        if inFlightCount > 0 {
            for question in questions.values { if case .asked(_, let deadline) = question.phase { add(deadline) } }
        }
        guard inFlightCount < (failures == 0 ? limit : 1) else { return time }
        for reference in waiting {
            guard case .waiting(let until)? = questions[reference]?.phase else { continue }
            add(failures == 0 ? until : max(until, nextProbe))
        }
        return time
    }
}
