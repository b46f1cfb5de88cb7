internal import TidelogCore

/// Executes the actions that the machines request.
extension SyncLoop {
    /// Executes all actions that the machines request, including actions that follow from them.
    func runActions() async throws {
        while !actions.isEmpty {
            let batch = actions
            actions = []
            var preparations: [Outbox.Preparation] = []
            var marks: [Int: SentMark] = [:]
            var answers: [Outbox.Answer] = []
            var tries: [Int: FailedTries] = [:]
            var records: [Inbox.RecordAnswer] = []
            for action in batch {
                switch action {
                case .outbox(.prepare(let preparation)): preparations.append(preparation)
                case .outbox(.mark(let new)): marks.merge(new) { $1 }
                case .outbox(.answer(let answer)): answers.append(answer)
                case .outbox(.noteTries(let slot, let reference, let failed)):
                    tries[slot] = failed
                    note(failed, of: reference)
                case .outbox(let action): try await run(action)
                case .inbox(.settle(let answer)): records.append(answer)
                case .inbox(let action): try await run(action)
                case .lifecycle(let action): try await run(action)
                }
            }
            try await append(tries)
            try await append(answers)
            try await append(records)
            try await mark(marks)
            try await prepare(preparations)
        }
    }

    private func append(_ tries: [Int: FailedTries]) async throws {
        guard !tries.isEmpty, outbox != nil else { return }
        try await write { _ in try await self.syncStore.note(tries) }
    }

    private func append(_ answers: [Outbox.Answer]) async throws {
        guard !answers.isEmpty, outbox != nil else { return }
        let result = try await write { pending in try await self.syncStore.append(answers, pending) }
        for model in result.modelsBehind { tellInbox { $0.serverWentBack(model, at: now) } }
        if !result.hints.isEmpty { tellInbox { $0.recordsHinted(result.hints, at: now) } }
        for answer in answers {
            if let record = answer.outcome.record, let held = heldPushes[answer.reference],
                held.version <= record.version
            {
                heldPushes[answer.reference] = nil
            }
            tellOutbox { $0.answered(slot: answer.slot, at: now) }
        }
        for model in Set(answers.compactMap(\.takenModel)) { tellInbox { $0.changeTaken(model, at: now) } }
        note(answers)
        lastProgress = now
        settings.notify(.sent(count: answers.count))
    }

    private func append(_ records: [Inbox.RecordAnswer]) async throws {
        guard !records.isEmpty, inbox != nil, outbox != nil else { return }
        let reception = try await write { try await self.syncStore.receive(records, $0) }
        received(reception)
        note(reception)
        lastProgress = now
        for record in records { tellInbox { $0.settled(record, at: now) } }
    }

    private func mark(_ marks: [Int: SentMark]) async throws {
        guard !marks.isEmpty, outbox != nil else { return }
        try await write { _ in try await self.syncStore.mark(marks) }
        tellOutbox { $0.marked(Array(marks.keys), at: now) }
    }

    private func prepare(_ preparations: [Outbox.Preparation]) async throws {
        guard !preparations.isEmpty, outbox != nil else { return }
        let rows = try await syncStore.prepared(preparations)
        tellOutbox { $0.prepared(rows, at: now) }
    }

    private func run(_ action: Lifecycle.Action) async throws {
        switch action {
        case .open: try await open()
        case .startOutbox:
            hasOutboxStarted = true
            tellOutbox { $0.start(at: now) }
        case .close: await close()
        case .report(let report):
            note(report)
            settings.notify(.report(report))
            if report == .stopped { stopped() }
        }
    }

    private func run(_ action: Outbox.Action) async throws {
        guard outbox != nil else { return }
        switch action {
        // These actions are collected and executed together.
        case .prepare, .mark, .answer, .noteTries: break
        case .removeMark(let slot): try await write { _ in try await self.syncStore.removeMark(slot: slot) }
        case .send(let mutation, let ticket):
            request { .mutation(await $0.send(mutation), ticket) }
        case .fetch(let reference, let ticket): request { .fetch(await $0.fetch(reference), ticket) }
        case .resolve(let conflict, let slot): try await resolve(conflict, slot)
        case .settle(let reference, let last, let slot):
            try await write { try await self.syncStore.settle(reference, through: last, $0) }
            tellOutbox { $0.settled(slot: slot, at: now) }
        case .join(let reference): try await write { try await self.syncStore.join(reference, $0) }
        case .advance(let position): try await write { _ in try await self.syncStore.advance(to: position) }
        case .refreshSession: refreshSession()
        }
    }

    private func run(_ action: Inbox.Action) async throws {
        guard inbox != nil else { return }
        switch action {
        case .subscribe(let request): subscribe(request)
        case .unsubscribe(let request):
            guard let current = subscribing[request.model], current.request == request else { return }
            subscribing[request.model] = nil
            tasks[current.task]?.cancel()
        case .disconnect:
            connection += 1
            for name in settings.models.names { setSynced(false, name) }
            await server.realTime.disconnect()
        case .query(let query): request { .page(await $0.page(query), query) }
        case .append(let page):
            let reception = try await write { try await self.syncStore.receive(page, $0) }
            received(reception)
            note(reception, of: page.model)
            settings.notify(.received(model: page.model, count: page.records.count))
            lastProgress = now
            let outcome = Inbox.PageOutcome(
                newCount: reception.recordCount, unstorable: reception.unstorable.map(\.reason))
            tellInbox { $0.appended(page, outcome, at: now) }
        case .sweep(let sweep):
            let result = try await write { try await self.syncStore.sweep(sweep, $0) }
            changeCounts[sweep.model, default: SyncLoop.ChangeCounts()].deleted += result.count
            lastProgress = now
            tellInbox { $0.swept(sweep, inDoubt: result.inDoubt, at: now) }
        case .get(let query): request { .record(await $0.fetch(query.reference), query) }
        // These actions are collected and executed together.
        case .settle: break
        case .refreshSession: refreshSession()
        case .report(let report):
            note(report)
            add(lifecycle.inboxReported(report))
        }
    }

    /// Runs a request. Its answer arrives in the mailbox.
    private func request(_ body: @escaping @Sendable (SyncServer) async -> SyncInput.Answer) {
        run { [server, mailbox, life] in
            mailbox.add(.answer(await body(server), life: life))
        }
    }

    private func subscribe(_ request: Inbox.SubscriptionRequest) {
        let model = request.model
        let task = run { [server, mailbox, life, connection] in
            var failure: GraphQLClientError?
            do throws(GraphQLClientError) {
                try await server.subscribe(
                    model,
                    deliver: { payload, field in
                        mailbox.push(
                            .pushed(
                                SyncInput.Push(model: model, payload: payload, field: field, connection: connection)))
                    },
                    end: { _ in mailbox.add(.answer(.unsubscribed(request, connection: connection), life: life)) })
            } catch {
                failure = error
            }
            mailbox.add(.answer(.subscribed(request, connection: connection, failure: failure), life: life))
        }
        subscribing[model] = (request, task)
    }

    // MARK: Conflicts

    private func resolve(_ conflict: SyncConflict, _ slot: Int) async throws {
        switch settings.conflictHandler {
        case .applyRemote: tellOutbox { $0.resolved(.applyRemote, slot: slot, at: now) }
        case .retryLocal: tellOutbox { $0.resolved(.retryLocal, slot: slot, at: now) }
        case .mergeFields:
            let base = try await syncStore.row(at: conflict.base)
            tellOutbox { $0.resolved(conflict.merged(from: base), slot: slot, at: now) }
        case .custom(let decide):
            guard let data = try await syncStore.data(of: conflict) else {
                return tellOutbox { $0.resolved(.applyRemote, slot: slot, at: now) }
            }
            let model = settings.models[conflict.local.reference.model]
            run { [mailbox, life] in
                let decision = SyncConflict.Decision(await decide(data), model)
                mailbox.add(.answer(.resolved(decision, slot: slot), life: life))
            }
        }
    }

    // MARK: The log

    /// Performs a write, and reads the log before and after it.
    func write<Value>(_ body: (PendingChanges) async throws -> Value) async throws -> Value {
        while true {
            do {
                // No reference to the index is kept here, because otherwise the next events would copy it.
                let value = try await body(try pending())
                try await catchUp()
                return value
            } catch is SyncStore.Overtaken {
                try await catchUp()
            }
        }
    }

    private func pending() throws -> PendingChanges {
        guard let outbox else { throw SyncError.stopped }
        return outbox.pending
    }

    /// Reads the log's new events.
    func catchUp() async throws {
        guard let head = outbox?.pending.head else { return }
        let isHeard = broadcast.isHeard
        var (count, events) = (0, [OutboxMutationEvent]())
        let entries = try await syncStore.entries(after: head) { event, entry in
            switch entry.content {
            case .change(let change):
                count += 1
                if isHeard {
                    events.append(
                        OutboxMutationEvent(change.reference, local: event.record, sequence: event.sequence))
                }
            case .setAside, .decided: mustCountSetAside = true
            case .visible, .shadowed, .other: break
            }
        }
        guard !entries.isEmpty else { return }
        tellOutbox { $0.logged(entries, at: now) }
        noteEnqueued(count, events)
    }
}

extension Outbox.Answer {
    /// The model of the change, if the server took it.
    fileprivate var takenModel: String? { if case .taken = outcome { reference.model } else { nil } }
}

extension SyncConflict.Decision {
    /// The decision of the app's handler.
    fileprivate init(_ resolution: ConflictResolution, _ model: SyncModels.Model?) {
        switch resolution {
        case .applyRemote: self = .applyRemote
        case .retryLocal: self = .retryLocal
        case .retry(let record):
            guard let model else {
                self = .applyRemote
                return
            }
            self = .retry(OutgoingMutation.fields(.all, of: record, .update, model))
        }
    }
}

extension SyncStore {
    /// The conflict in the form for the app's handler. It is `nil` if the server's record is deleted, because the handler does
    /// not decide about that.
    fileprivate func data(of conflict: SyncConflict) async throws -> ConflictData? {
        guard let remote = conflict.remote.row else { return nil }
        let reference = conflict.local.reference
        let local =
            conflict.local.kind == .delete ? nil : try await row(at: conflict.local.id.sequence)
        return ConflictData(
            model: reference.model, id: reference.id, local: local, remote: remote,
            base: try await row(at: conflict.base), remoteVersion: conflict.remote.version, round: conflict.round)
    }
}
