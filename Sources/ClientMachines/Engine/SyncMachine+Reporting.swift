internal import TidelogSchema

/// Reports the engine's events and status.
extension SyncMachine {
    /// Passes a failure to the app. The engine continues, or tries again later.
    mutating func tell(_ failure: SyncError) {
        status.lastError = failure
        add(.tell(.failure(failure)))
        send(.failed(failure))
    }

    /// Passes an event to the app, or counts it if the app receives no events.
    private mutating func send(_ event: @autoclosure () -> SyncEvent) {
        if isHeard { add(.tell(.event(event()))) } else { missedCount += 1 }
    }

    mutating func note(_ report: Lifecycle.Report) {
        switch report {
        case .networkStatus(let isActive):
            isRunning = true
            send(.networkStatus(active: isActive))
        case .outboxStatus(let isEmpty): send(.outboxStatus(isEmpty: isEmpty))
        case .subscriptionsEstablished: send(.subscriptionsEstablished)
        case .syncQueriesStarted(let models):
            isQuerying = true
            send(.syncQueriesStarted(models: models))
        case .modelSynced(let model, let isBase, let isTruncated):
            noteSynced(model, isBase: isBase, isTruncated: isTruncated)
        case .syncQueriesReady: send(.syncQueriesReady)
        case .syncStarted: send(.syncStarted)
        case .ready: send(.ready)
        case .stopped:
            if isRunning { send(.stopped) }
            isRunning = false
        case .failed(let reason, _): self.report.problems.append(reason)
        }
    }

    private mutating func noteSynced(_ model: String, isBase: Bool, isTruncated: Bool) {
        report.queries[model] = isBase ? .base : .delta
        if isTruncated, !report.truncated.contains(model) { report.truncated.append(model) }
        setSynced(inbox?.isInStep(model) ?? false, model)
        change(model) { $0.wasQueried = true }
        let counts = changeCounts.removeValue(forKey: model) ?? ChangeCounts()
        send(
            .modelSynced(
                ModelSyncedEvent(
                    modelName: model, isFullSync: isBase, isDeltaSync: !isBase, added: counts.added,
                    updated: counts.updated, deleted: counts.deleted, isTruncated: isTruncated)))
    }

    /// Records a failure that the inbox reports.
    mutating func note(_ report: Inbox.Report) {
        switch report {
        case .modelRefused(let model, let errorType, let message):
            change(model) { $0.wasQueried = true }
            tell(.modelRefused(model, errorType, message))
        case .modelFailed(let model, let message): tell(.modelFailed(model, message))
        case .queriedAtIntervals(let models, let message): tell(.notPushed(models, message))
        case .badAnswer(let message): tell(.badAnswer(message))
        case .subscriptionsEstablished, .queriesStarted, .modelSynced, .maySend, .queriesReady: break
        }
    }

    /// Records the server's answers to changes, which are in the log.
    mutating func note(_ answers: [Outbox.Answer]) {
        for answer in answers {
            switch answer.outcome {
            case .yielded(to: let record):
                report.conflicts += 1
                send(.conflict(SyncConflictEvent(answer, record)))
                send(.outboxMutationProcessed(OutboxMutationEvent(answer, record)))
            case .taken(let record):
                status.sent += 1
                report.sent += 1
                send(.outboxMutationProcessed(OutboxMutationEvent(answer, record)))
            case .setAside(let reason, let record), .replaced(let reason, by: let record):
                setAsideCount = .stale
                if reason.isFailedCondition {
                    send(.conditionalSaveFailed(OutboxMutationEvent(answer, record)))
                }
                tell(.changeRefused(answer.reference, reason))
            }
        }
        add(lifecycle.outboxChanged(isEmpty: outbox?.pendingCount == 0))
    }

    /// Records that the server could not make a change at this time.
    mutating func note(_ tries: FailedTries, of reference: RecordReference) {
        let failure = SyncError.changeDelayed(reference, tries)
        // Each later try would only repeat the event.
        if tries.count == 1 { tell(failure) } else { status.lastError = failure }
    }

    /// Records new local changes.
    ///
    /// - Parameters:
    ///   - count: How many changes there are.
    ///   - events: The changes, if a receiver needs them.
    mutating func noteEnqueued(_ count: Int, _ events: [OutboxMutationEvent]) {
        guard count > 0 else { return }
        for event in events { send(.outboxMutationEnqueued(event)) }
        missedCount += max(0, count - events.count)
        add(lifecycle.outboxChanged(isEmpty: outbox?.pendingCount == 0))
    }

    /// Records records that are in the log.
    mutating func note(_ reception: Reception, of model: String? = nil) {
        for record in reception.records { send(.syncReceived(OutboxMutationEvent(record))) }
        guard let model else {
            for record in reception.records { change(record.reference.model) { $0.received += 1 } }
            return
        }
        change(model) { $0.received += reception.recordCount }
        changeCounts[model, default: ChangeCounts()].add(reception.counts)
    }

    // MARK: Status

    mutating func setSynced(_ isSynced: Bool, _ model: String) {
        add(.setSynced(isSynced, model: model))
        change(model) { $0.isSynced = isSynced }
    }

    private mutating func change(_ model: String, _ body: (inout SyncStatus.ModelStatus) -> Void) {
        guard let index = status.models.firstIndex(where: { $0.name == model }) else { return }
        body(&status.models[index])
    }

    /// Begins a new status for a start. The number of pending changes stays until they are counted or read.
    mutating func resetStatus() {
        let (pending, oldest) = (status.pending, status.oldestPending)
        status = SyncStatus(.connecting, models: settings.models.names)
        status.protocol = syncProtocol
        (status.pending, status.oldestPending) = (pending, oldest)
    }

    /// How long the count of the pending changes waits for the provider of tokens, in milliseconds. Opening the store reads the
    /// pending changes too, and reading many of them twice delays the first request.
    static let countDelay: Int64 = 100

    /// Counts the pending changes for the status, if the person is not known yet and they were not counted.
    mutating func countPending() {
        guard countTime.take() != nil, identity == nil, lifecycle.state == .starting else { return }
        add(.countPending)
    }

    /// Records how many changes are pending, and the time of the oldest one in microseconds.
    mutating func notePending(_ count: Int, oldest: Int64?) {
        status.pending = count
        status.oldestPending = oldest.map { date(microseconds: $0) }
    }

    /// Records how many changes are set aside, and the time of the oldest one; `nil` if the store cannot be read.
    mutating func noteSetAside(_ found: (count: Int, oldest: Int64?)?) {
        guard let found else {
            setAsideCount = .unreadable
            return
        }
        status.setAside = found.count
        status.oldestSetAside = found.oldest.map { date(microseconds: $0) }
    }

    /// Makes the status show the machines' states.
    mutating func updateStatus() {
        (status.state, status.nextAttempt) = (state, nil)
        (status.isOnline, status.hasSession) = (lifecycle.isOnline, credentialFailures == 0)
        status.mutationsPerRequest = batches.size
        if let outbox {
            status.pending = outbox.pendingCount
            status.oldestPending = outbox.pending.oldest.map { date(microseconds: $0.madeAt) }
            status.failing = outbox.failingCount
        }
        showConditions()
        if case .waiting(let time) = lifecycle.state {
            status.nextAttempt = date(of: time)
        } else if reachability.isFailing || credentialFailures > 0 || status.failing > 0 {
            var times = [inbox?.nextWake, hasOutboxStarted ? outbox?.nextWake : nil].compactMap { $0 }
            if case .awaited(let time) = session { times.append(time) }
            status.nextAttempt = times.min().map { date(of: $0) }
        }
        if status.nextAttempt == nil { status.nextAttempt = status.models.compactMap(\.nextAttempt).min() }
    }

    /// Shows the models that fail, and the models that are queried at intervals.
    private mutating func showConditions() {
        guard let inbox, inbox.conditionCount != shownConditionCount else { return }
        shownConditionCount = inbox.conditionCount
        for index in status.models.indices {
            let condition = inbox.condition(of: status.models[index].name)
            status.models[index].lastError = condition.failure
            status.models[index].failedAttempts = condition.failureCount
            status.models[index].nextAttempt =
                condition.failure == nil ? nil : condition.nextQuery.map { date(of: $0) }
            status.models[index].isQueriedAtIntervals = condition.isAtIntervals
        }
    }

    private var state: SyncStatus.State {
        if standing == .following { return .following }
        switch lifecycle.state {
        case .stopped, .closing: return .stopped
        case .starting: return isQuerying && lifecycle.isOnline ? .querying : .connecting
        case .active: return .ready
        case .waiting: return .waiting
        case .pausing, .paused: return .suspended
        }
    }
}

extension SetAsideChange.Reason {
    /// Whether the server refused the change because its condition was false.
    fileprivate var isFailedCondition: Bool { errorType.hasPrefix("ConditionalCheckFailed") }
}

extension OutboxMutationEvent {
    /// A local change and the server's answer to it.
    fileprivate init(_ answer: Outbox.Answer, _ record: ServerRecord?) {
        let sequence = answer.mutation.id.sequence
        self =
            record.map { OutboxMutationEvent($0, answering: sequence) }
            ?? OutboxMutationEvent(answer.reference, local: nil, sequence: sequence)
    }
}
