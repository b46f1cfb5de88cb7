internal import TidelogSchema

/// Handles answers of the server, and messages of subscriptions.
extension SyncMachine {
    /// The number of milliseconds after an answer in which a lost request does not mean that the server cannot be reached.
    private static let goneAfter: Int64 = 1_000
    /// The shortest time in milliseconds between two moments at which waits are cut short because the server answers again.
    private static let hurryInterval: Int64 = 5_000

    mutating func handle(_ answer: Answer) {
        let (now, jitter) = (now, jitter())
        switch answer {
        case .mutations(let responses, let tickets, let refusesBatches):
            assert(responses.count == tickets.count, "each mutation of a request has an answer")
            if refusesBatches { batches.refuse() }
            batches.ended(tickets)
            note(responses)
            tellOutbox { $0.responsesReceived(responses.map(\.content), to: tickets, at: now, jitter: jitter) }
        case .fetch(let response, let ticket):
            note(response)
            tellOutbox { $0.fetched(response.content, for: ticket, at: now, jitter: jitter) }
        case .page(let response, let query):
            note(response)
            if case .lacksVersions = response.content { return choose(.timestamps) }
            if case .page = response.content, syncProtocol == .automatic { choose(.versioned) }
            tellInbox { $0.pageReceived(response.content, to: query, at: now, jitter: jitter) }
        case .records(let responses, let queries):
            assert(responses.count == queries.count, "each record of a request has an answer")
            note(responses)
            for (response, query) in zip(responses, queries) {
                tellInbox { $0.recordReceived(response.content, to: query, at: now, jitter: jitter) }
            }
        case .subscribed(let request, let connection):
            guard connection == self.connection, subscribing[request.model] == request else { return }
            heard()
            tellInbox { $0.subscribed(request, at: now) }
        case .subscriptionFailed(let request, let connection, let failure, let cause):
            guard connection == self.connection, subscribing[request.model] == request else { return }
            // Whether the server can be reached and accepts the credentials is decided by queries, which work without a
            // WebSocket.
            if cause.kind == .noToken || cause.kind == .anotherPerson { failed(cause) }
            if case .refused = failure { heard() }
            tellInbox { $0.subscriptionFailed(request, failure, at: now, jitter: jitter) }
            if cause.kind == .noToken { refreshSession() }
        case .subscriptionLost(let request, let connection):
            guard connection == self.connection, subscribing[request.model] == request else { return }
            setSynced(false, request.model)
            tellInbox { $0.subscriptionLost(request, at: now, jitter: jitter) }
        case .resolved(let decision, let slot): tellOutbox { $0.resolved(decision, slot: slot, at: now) }
        case .identified(let identity):
            // The provider may have been asked twice.
            guard self.identity == nil else { return }
            self.identity = identity
            add([.open])
        case .unidentified(let failure):
            countPending()
            failed(failure)
            refreshSession()
        }
    }

    /// Notes the answers of one request. If only some of them are usable, the server can be reached.
    private mutating func note<Content>(_ responses: [SyncResponse<Content>]) {
        if let response = responses.first(where: { $0.failure == nil }) ?? responses.first { note(response) }
    }

    private mutating func note<Content>(_ response: SyncResponse<Content>) {
        if let failure = response.failure { failed(failure) } else { heard() }
        // The engine does not rely on what a server without versions says about its answers.
        guard syncProtocol.hasVersions else { return }
        if let knows = response.knowsMutationIDs { outbox?.noteSupport(ofMutationIDs: knows) }
        if let isExact = response.isExact {
            isServerExact = isExact
            inbox?.isServerExact = isExact
        }
    }

    /// Uses a protocol from now on, because the server answered in this way.
    private mutating func choose(_ chosen: SyncProtocol) {
        syncProtocol = chosen
        (status.protocol, report.protocol) = (chosen, chosen)
        add(.choose(chosen))
    }

    /// Records that the server answered.
    private mutating func heard() {
        let now = now
        reachability.lastAnswer = now
        credentialFailures = 0
        reachability.isFailing = false
        // If only some requests fail, their pauses continue while the server answers others.
        guard !lifecycle.isOnline else { return }
        add(lifecycle.networkChanged(isOnline: true, at: now))
        // A server that is reached and lost again and again does not end every pause.
        guard now - reachability.lastHurry >= Self.hurryInterval else { return }
        reachability.lastHurry = now
        tellOutbox { $0.serverReturned(at: now) }
        tellInbox { $0.serverReturned(at: now) }
    }

    /// Records that the server gave no usable answer.
    private mutating func failed(_ failure: RequestFailure) {
        let now = now
        reachability.lastFailure = failure
        add(.tell(.notice(.failed(failure))))
        if !reachability.isFailing { tell(SyncError(failure)) }
        reachability.isFailing = true
        // Requests in progress may fail although the server has just answered another request.
        if failure.kind == .unreachable, now - reachability.lastAnswer >= Self.goneAfter {
            add(lifecycle.networkChanged(isOnline: false, at: now))
        }
        if failure.kind == .anotherPerson, let identity { fail(SyncError.identityChanged(from: identity)) }
    }

    // MARK: Sessions

    /// Asks for a new token after a wait. The next request then asks the provider of tokens.
    mutating func refreshSession() {
        outbox?.sessionLost()
        inbox?.sessionLost()
        guard session == .present else { return }
        credentialFailures += 1
        let wait = Backoff(first: 500).wait(after: credentialFailures, jitter: jitter())
        assert(wait >= 0, "a wait has no negative length")
        session = .awaited(until: now + wait)
    }

    /// Ends the wait for a session. The next request then asks the provider of tokens.
    mutating func askForSession() {
        guard session != .present else { return }
        let now = now
        session = .present
        // Without an identity, the engine does not know yet whose records it must sync.
        if identity == nil, lifecycle.state == .starting { add([.open]) }
        tellOutbox { $0.sessionRestored(at: now) }
        tellInbox { $0.sessionRestored(at: now) }
    }

    // MARK: Pushes

    mutating func received(_ push: Push) {
        guard push.connection == connection, inbox != nil else { return }
        let now = now
        reachability.lastAnswer = now
        var record = push.record
        if !isServerExact { record?.mayLackValues = true }
        // The writer of a deletion may not have selected the mark of the deletion.
        if push.isDeletion, let known = record, known.mayLackValues, !known.isDeleted { record = nil }
        guard let record else {
            guard let reference = push.reference, !syncProtocol.hasVersions else {
                return tellInbox { $0.messageUnusable(push.model, at: now) }
            }
            return tellInbox { $0.recordsHinted([RecordHint(reference, version: 0, isBlind: true)], at: now) }
        }
        pushed.append(record)
    }

    /// Takes the pushed records that may be written now; `nil` if there are none.
    ///
    /// If a mutation of the same record is in flight, the record waits for the response. The push is probably the echo of the
    /// mutation, and then there is nothing to append.
    mutating func takePushes() -> [ServerRecord]? {
        guard let outbox, !pushed.isEmpty || !heldPushes.isEmpty else { return nil }
        var records: [ServerRecord] = []
        for record in pushed {
            guard outbox.isSending(record.reference) else {
                records.append(record)
                continue
            }
            if let held = heldPushes[record.reference], syncProtocol.hasVersions, held.version >= record.version {
                continue
            }
            heldPushes[record.reference] = record
        }
        pushed = []
        let released = heldPushes.filter { !outbox.isSending($0.key) }
        for (reference, record) in released.sorted(by: { $0.key.stableHash < $1.key.stableHash }) {
            heldPushes[reference] = nil
            records.append(record)
        }
        assert(heldPushes.keys.allSatisfy { outbox.isSending($0) }, "a push waits only for an answer")
        return records.isEmpty ? nil : records
    }
}
