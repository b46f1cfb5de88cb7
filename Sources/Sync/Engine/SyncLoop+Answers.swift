internal import TidelogCore

/// Handles answers of the server, and messages of subscriptions.
extension SyncLoop {
    func handle(_ answer: SyncInput.Answer) {
        switch answer {
        case .mutation(let answer, let ticket):
            note(answer)
            tellOutbox { $0.responseReceived(answer.content, to: ticket, at: now, jitter: jitter) }
        case .fetch(let answer, let ticket):
            note(answer)
            tellOutbox { $0.fetched(answer.content, for: ticket, at: now, jitter: jitter) }
        case .page(let answer, let query):
            note(answer)
            tellInbox { $0.pageReceived(answer.content, to: query, at: now, jitter: jitter) }
        case .record(let answer, let query):
            note(answer)
            tellInbox { $0.recordReceived(answer.content, to: query, at: now, jitter: jitter) }
        case .subscribed(let request, let connection, let failure):
            guard connection == self.connection, subscribing[request.model]?.request == request else { return }
            subscribed(request, failure)
        case .unsubscribed(let request, let connection):
            guard connection == self.connection, subscribing[request.model]?.request == request else { return }
            setSynced(false, request.model)
            tellInbox { $0.subscriptionLost(request, at: now, jitter: jitter) }
        case .resolved(let decision, let slot): tellOutbox { $0.resolved(decision, slot: slot, at: now) }
        case .identified(let result): identified(result)
        case .session: askForSession()
        }
    }

    private func subscribed(_ request: Inbox.SubscriptionRequest, _ failure: GraphQLClientError?) {
        guard let failure else {
            heard()
            return tellInbox { $0.subscribed(request, at: now) }
        }
        // Whether the server can be reached and accepts the credentials is decided by queries, which work without a WebSocket.
        if failure.code == .noToken || failure.cause is TokenSession.AnotherPerson { failed(failure) }
        let reason = failure.subscriptionFailure
        if case .refused = reason { heard() }
        tellInbox { $0.subscriptionFailed(request, reason, at: now, jitter: jitter) }
        if failure.code == .noToken { refreshSession() }
    }

    private func note<Content>(_ answer: SyncServer.Answer<Content>) {
        if let failure = answer.failure { failed(failure) } else { heard() }
        if let knows = answer.knowsMutationIDs { outbox?.noteSupport(ofMutationIDs: knows) }
        if let isExact = answer.isExact {
            server.isExact = isExact
            inbox?.isServerExact = isExact
        }
    }

    /// Records that the server answered.
    private func heard() {
        (lastAnswer, credentialFailures) = (now, 0)
        isFailing = false
        // If only some requests fail, their pauses continue while the server answers others.
        guard !lifecycle.isOnline else { return }
        add(lifecycle.networkChanged(isOnline: true, at: now))
        // A server that is reached and lost again and again does not end every pause.
        guard now - lastHurry >= 5_000 else { return }
        lastHurry = now
        tellOutbox { $0.serverReturned(at: now) }
        tellInbox { $0.serverReturned(at: now) }
    }

    /// Records that the server gave no usable answer.
    private func failed(_ failure: GraphQLClientError) {
        lastFailure = failure
        settings.notify(.failed(failure))
        if !isFailing { tell(SyncError(failure)) }
        isFailing = true
        // Requests in progress may fail although the server has just answered another request.
        if failure.code == .transport, now - lastAnswer >= 1_000 {
            add(lifecycle.networkChanged(isOnline: false, at: now))
        }
        if failure.cause is TokenSession.AnotherPerson, let identity {
            fail(SyncError.identityChanged(from: identity))
        }
    }

    /// Asks the provider of tokens for the person. The answer arrives in the mailbox, because the provider may take long.
    func identify() {
        run { [server, mailbox, life] in
            let result: Result<SyncIdentity, GraphQLClientError>
            do throws(GraphQLClientError) {
                result = .success(try await server.identity())
            } catch {
                result = .failure(error)
            }
            mailbox.add(.answer(.identified(result), life: life))
        }
    }

    private func identified(_ result: Result<SyncIdentity, GraphQLClientError>) {
        switch result {
        case .success(let identity):
            self.identity = identity
            add([.open])
        case .failure(let failure):
            failed(failure)
            refreshSession()
        }
    }

    /// Asks for a new token after a wait. The next request then asks the provider of tokens.
    func refreshSession() {
        outbox?.sessionLost()
        inbox?.sessionLost()
        guard !isWaitingForSession else { return }
        isWaitingForSession = true
        credentialFailures += 1
        let wait = Backoff(first: 500).wait(after: credentialFailures, jitter: jitter)
        sessionAt = now + wait
        run { [mailbox, life] in
            do { try await Task.sleep(for: .milliseconds(wait)) } catch { return }
            mailbox.add(.answer(.session, life: life))
        }
    }

    /// Ends the wait for a session. The next request then asks the provider of tokens.
    func askForSession() {
        guard isWaitingForSession else { return }
        (sessionAt, isWaitingForSession) = (nil, false)
        // Without an inbox, the engine does not know yet whose records it must sync.
        if inbox == nil { add([.open]) }
        tellOutbox { $0.sessionRestored(at: now) }
        tellInbox { $0.sessionRestored(at: now) }
    }

    // MARK: Pushes

    /// Appends the records that subscriptions delivered, in one write.
    ///
    /// If a mutation of the same record is in flight, the record waits for the response. The push is probably the echo of the
    /// mutation, and then there is nothing to append.
    func receive(_ inputs: [SyncInput]) async throws {
        var records: [ServerRecord] = []
        for case .pushed(let push) in inputs where push.connection == connection && inbox != nil {
            lastAnswer = now
            if let record = server.pushed(push.payload, of: push.model, field: push.field) {
                tellInbox {
                    $0.messageReceived(at: now)
                    return []
                }
                records.append(record)
            } else {
                tellInbox { $0.messageUnusable(push.model, at: now) }
            }
        }
        for record in records where outbox?.isSending(record.reference) ?? false {
            if let held = heldPushes[record.reference], held.version >= record.version { continue }
            heldPushes[record.reference] = record
        }
        records.removeAll { outbox?.isSending($0.reference) ?? false }
        for (reference, record) in heldPushes where !(outbox?.isSending(reference) ?? false) {
            heldPushes[reference] = nil
            records.append(record)
        }
        guard !records.isEmpty, outbox != nil else { return }
        let reception = try await write { try await self.syncStore.receive(pushed: records, $0) }
        for (model, reason) in reception.unstorable { tellInbox { $0.messageUnstorable(model, reason) } }
        received(reception)
        note(reception)
    }

    func received(_ reception: SyncStore.Reception) {
        report.received += reception.recordCount
        for model in reception.modelsBehind { tellInbox { $0.serverWentBack(model, at: now) } }
        if !reception.hints.isEmpty { tellInbox { $0.recordsHinted(reception.hints, at: now) } }
    }
}
