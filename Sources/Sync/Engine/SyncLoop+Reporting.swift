internal import TidelogCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reports the engine's events and status.
extension SyncLoop {
    /// Passes a failure to the app. The engine continues, or tries again later.
    func tell(_ failure: SyncError) {
        status.lastError = failure
        settings.handleError(failure)
        broadcast.send(.failed(failure))
    }

    func note(_ report: Lifecycle.Report) {
        switch report {
        case .networkStatus(let isActive):
            isRunning = true
            broadcast.send(.networkStatus(active: isActive))
        case .outboxStatus(let isEmpty): broadcast.send(.outboxStatus(isEmpty: isEmpty))
        case .subscriptionsEstablished: broadcast.send(.subscriptionsEstablished)
        case .syncQueriesStarted(let models):
            isQuerying = true
            broadcast.send(.syncQueriesStarted(models: models))
        case .modelSynced(let model, let isBase, let isTruncated):
            noteSynced(model, isBase: isBase, isTruncated: isTruncated)
        case .syncQueriesReady: broadcast.send(.syncQueriesReady)
        case .syncStarted: broadcast.send(.syncStarted)
        case .ready: broadcast.send(.ready)
        case .stopped:
            if isRunning { broadcast.send(.stopped) }
            isRunning = false
        case .failed(let reason, _): self.report.problems.append(reason)
        }
    }

    private func noteSynced(_ model: String, isBase: Bool, isTruncated: Bool) {
        report.queries[model] = isBase ? .base : .delta
        if isTruncated, !report.truncated.contains(model) { report.truncated.append(model) }
        setSynced(inbox?.isInStep(model) ?? false, model)
        change(model) { $0.wasQueried = true }
        let counts = changeCounts.removeValue(forKey: model) ?? ChangeCounts()
        broadcast.send(
            .modelSynced(
                ModelSyncedEvent(
                    modelName: model, isFullSync: isBase, isDeltaSync: !isBase, added: counts.added,
                    updated: counts.updated, deleted: counts.deleted, isTruncated: isTruncated)))
    }

    /// Records a failure that the inbox reports.
    func note(_ report: Inbox.Report) {
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
    func note(_ answers: [Outbox.Answer]) {
        for answer in answers {
            switch answer.outcome {
            case .yielded(to: let record):
                report.conflicts += 1
                broadcast.send(.conflict(SyncConflictEvent(answer, record)))
                broadcast.send(.outboxMutationProcessed(OutboxMutationEvent(answer, record)))
            case .taken(let record):
                status.sent += 1
                report.sent += 1
                broadcast.send(.outboxMutationProcessed(OutboxMutationEvent(answer, record)))
            case .setAside(let reason, let record), .replaced(let reason, by: let record):
                mustCountSetAside = true
                if reason.isFailedCondition {
                    broadcast.send(.conditionalSaveFailed(OutboxMutationEvent(answer, record)))
                }
                tell(.changeRefused(answer.reference, reason))
            }
        }
        add(lifecycle.outboxChanged(isEmpty: outbox?.pendingCount == 0))
    }

    /// Records that the server could not make a change at this time.
    func note(_ tries: FailedTries, of reference: RecordReference) {
        let failure = SyncError.changeDelayed(reference, tries)
        // Each later try would only repeat the event.
        if tries.count == 1 { tell(failure) } else { status.lastError = failure }
    }

    /// Records new local changes.
    ///
    /// - Parameters:
    ///   - count: How many changes there are.
    ///   - events: The changes, if a receiver needs them.
    func noteEnqueued(_ count: Int, _ events: [OutboxMutationEvent]) {
        guard count > 0 else { return }
        for event in events { broadcast.send(.outboxMutationEnqueued(event)) }
        broadcast.skip(count - events.count)
        add(lifecycle.outboxChanged(isEmpty: outbox?.pendingCount == 0))
    }

    /// Records records that are in the log.
    func note(_ reception: SyncStore.Reception, of model: String? = nil) {
        for record in reception.records { broadcast.send(.syncReceived(OutboxMutationEvent(record))) }
        guard let model else {
            for record in reception.records { change(record.reference.model) { $0.received += 1 } }
            return
        }
        change(model) { $0.received += reception.recordCount }
        changeCounts[model, default: ChangeCounts()].add(reception.counts)
    }

    // MARK: Status

    func setSynced(_ isSynced: Bool, _ model: String) {
        try? settings.store.setSynced(isSynced, model: model)
        change(model) { $0.isSynced = isSynced }
    }

    private func change(_ model: String, _ body: (inout SyncStatus.ModelStatus) -> Void) {
        guard let index = status.models.firstIndex(where: { $0.name == model }) else { return }
        body(&status.models[index])
    }

    /// Sends the current status to the receivers.
    func updateStatus() async {
        (status.state, status.nextAttempt) = (state, nil)
        (status.isOnline, status.hasSession) = (lifecycle.isOnline, credentialFailures == 0)
        if let outbox {
            status.pending = outbox.pendingCount
            status.oldestPending = outbox.pending.oldest?.date
            status.failing = outbox.failingCount
        }
        if mustCountSetAside, let changes = try? await syncStore.setAside() {
            mustCountSetAside = false
            status.setAside = changes.count
            status.oldestSetAside = nil
            if let first = changes.first?.first, let time = try? await syncStore.time(of: first) {
                status.oldestSetAside = Date(microseconds: time)
            }
        }
        showConditions()
        if case .waiting(let time) = lifecycle.state {
            status.nextAttempt = date(of: time)
        } else if isFailing || credentialFailures > 0 || status.failing > 0 {
            let times = [inbox?.nextWake, hasOutboxStarted ? outbox?.nextWake : nil, sessionAt].compactMap { $0 }
            status.nextAttempt = times.min().map { date(of: $0) }
        }
        if status.nextAttempt == nil { status.nextAttempt = status.models.compactMap(\.nextAttempt).min() }
        broadcast.update(status)
    }

    /// Shows the models that fail, and the models that are queried at intervals.
    private func showConditions() {
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
        if isFollowing { return .following }
        switch lifecycle.state {
        case .stopped, .closing: return .stopped
        case .starting: return isQuerying && lifecycle.isOnline ? .querying : .connecting
        case .active: return .ready
        case .waiting: return .waiting
        }
    }

    /// The date of a time of the loop's clock.
    private func date(of time: Int64) -> Date { Date(timeIntervalSinceNow: Double(time - now) / 1_000) }
}

extension SetAsideChange.Reason {
    /// Whether the server refused the change because its condition was false.
    fileprivate var isFailedCondition: Bool { errorType.hasPrefix("ConditionalCheckFailed") }
}

extension PendingChange {
    /// The time of the change.
    var date: Date { Date(microseconds: madeAt) }
}

extension Date {
    fileprivate init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
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

extension SyncLoop {
    /// The counts of changes to the records of a model.
    struct ChangeCounts: Sendable {
        var added = 0
        var updated = 0
        var deleted = 0

        mutating func add(_ other: ChangeCounts) {
            added += other.added
            updated += other.updated
            deleted += other.deleted
        }
    }
}
