internal import TidelogSchema

/// Asks for single records: records whose push or response may lack values, and records that a base query may have overlooked.
extension Inbox {
    /// The number of requests without an answer after which a record is not asked for any more.
    private static let failureLimit = 5
    /// The wait in milliseconds after an answer that is older than the record here. Reads of AppSync's records may be that old.
    package static let staleWait: Int64 = 2_000
    /// The number of old answers after which the next one is believed.
    private static let staleLimit = 1

    /// Asks for records of which a push or a response may lack values. Several hints about a record lead to one request.
    package mutating func recordsHinted(_ hints: [RecordHint], at now: Int64) -> [Action] {
        for hint in hints where models[hint.reference.model] != nil {
            questions.add(
                hint.reference, version: hint.version, isBlind: hint.isBlind, due: now + options.unusableDelay)
        }
        if questions.hintCount > options.maximumHints {
            // A query brings many records with one request.
            for name in questions.dropHints() {
                want(name, by: now + options.unusableDelay)
                if !options.hasVersions { models[name]?.mustBeBase = true }
            }
        }
        return work(at: now)
    }

    private mutating func want(_ name: String, by time: Int64) {
        if let state = models[name] { models[name]?.wanted = min(state.wanted ?? time, time) }
    }

    /// Makes the requests for which there is room.
    mutating func getRecords(at now: Int64) -> [Action] {
        questions.next(
            at: now, head: head, limit: options.maximumRecordRequests, timeLimit: options.timeLimit
        ).map { .get($0) }
    }

    /// Handles the server's answer to the request for a record.
    package mutating func recordReceived(
        _ response: Outbox.FetchResponse, to query: RecordQuery, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard let question = questions.question(of: query) else { return [] }
        switch response {
        case .record(let record):
            if question.isRenewed, !options.hasVersions {
                questions.repeatRenewed(query, at: now + options.unusableDelay)
                return work(at: now)
            }
            let isStale = question.isBlind || record.map { isBefore($0, question.version) } ?? true
            if isStale, !isServerExact, question.staleCount < Self.staleLimit {
                questions.repeatStale(query, at: now + Self.staleWait)
                return work(at: now)
            }
            questions.answered(query)
            let isConfirmed = question.staleCount >= Self.staleLimit
            return [.settle(RecordAnswer(query: query, record: record, isConfirmed: isConfirmed))] + work(at: now)
        case .refused(let errorType, let message):
            guard Refusal(errorType: errorType, message: message) == .final else {
                return failed(query, retryAfter: nil, at: now, jitter: jitter) + work(at: now)
            }
            // A record that the person may not read any more is missing in base queries, too.
            let isHidden = errorType == "Unauthorized" && question.isForSweep
            guard isHidden else { return giveUp(query, isOpen: false, at: now) + work(at: now) }
            questions.answered(query)
            return [.settle(RecordAnswer(query: query, record: nil))] + work(at: now)
        case .failed(let retryAfter):
            return failed(query, retryAfter: retryAfter, at: now, jitter: jitter) + work(at: now)
        case .unauthenticated:
            questions.postpone(query.reference, until: now)
            let isNew = hasSession
            hasSession = false
            return isNew ? [.refreshSession] : []
        }
    }

    /// Whether the record may be in an earlier state than the state with this version.
    private func isBefore(_ record: ServerRecord, _ version: UInt64?) -> Bool {
        guard let version else { return false }
        guard !options.hasVersions else { return record.version < version }
        // The order of two changes in the same millisecond is not known.
        return record.version != version && !RecordStamp.isEarlier(version, than: record.version)
    }

    /// Handles a request without an answer. It is repeated after a wait, but not forever.
    mutating func failed(_ query: RecordQuery, retryAfter: Int64?, at now: Int64, jitter: UInt64) -> [Action] {
        guard let question = questions.question(of: query) else { return [] }
        questions.repeatFailed(query, retryAfter: retryAfter, options.backoff, at: now, jitter: jitter)
        return question.failures + 1 < Self.failureLimit ? [] : giveUp(query, isOpen: true, at: now)
    }

    /// Ends a question without an answer. The record stays as it is.
    ///
    /// - Parameter isOpen: Whether the next query must find out about a record that a base query did not see.
    private mutating func giveUp(_ query: RecordQuery, isOpen: Bool, at now: Int64) -> [Action] {
        guard let question = questions.end(query.reference) else { return [] }
        // A query brings the values that the push or the response lacked.
        // Without versions, a query would only find the same difference again.
        if question.version != nil, options.hasVersions || !question.isForSweep {
            want(query.reference.model, by: now + options.unusableDelay)
        }
        return question.isForSweep ? decided(query.reference.model, isOpen: isOpen, at: now) : []
    }

    /// Tells the inbox that the answer to the request for a record is in the log.
    package mutating func settled(_ answer: RecordAnswer, at now: Int64) -> [Action] {
        guard questions.question(of: answer.query) != nil, let question = questions.end(answer.query.reference) else {
            return []
        }
        if question.isRenewed, !options.hasVersions {
            questions.add(
                answer.query.reference, version: question.version, isBlind: question.isBlind,
                due: now + options.unusableDelay)
        } else if let version = question.version, let record = answer.record, isBefore(record, version) {
            // The hint may have come after the request. An exact server may also have been restored from a backup, so that it
            // will never have the version of the hint.
            if !isServerExact, question.staleCount < Self.staleLimit {
                questions.add(answer.query.reference, version: version, due: now + options.unusableDelay)
            } else {
                want(answer.query.reference.model, by: now + options.unusableDelay)
            }
        }
        return (question.isForSweep ? decided(answer.query.reference.model, isOpen: false, at: now) : [])
            + work(at: now)
    }
}
