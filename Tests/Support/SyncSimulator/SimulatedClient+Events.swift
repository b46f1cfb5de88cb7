import SeededNumbers
import TidelogCore
import TidelogSync

/// The messages that a device receives, and the changes that its app makes.
extension SimulatedClient {
    /// How the server treats the device's WebSockets.
    enum Sockets: String, CaseIterable {
        case accepted, refused, unacknowledged
    }

    func received(_ response: Simulation.Response) async throws {
        switch response {
        case .mutation(let response, let ticket):
            tellOutbox { $0.responseReceived(response, to: ticket, at: now, jitter: random.next()) }
        case .fetch(let response, let ticket):
            tellOutbox { $0.fetched(response, for: ticket, at: now, jitter: random.next()) }
        case .query(let response, let query):
            simulation.trace.note(simulation.now, number, "answered", "\(query.model) \(response.text)")
            tellInbox { $0.pageReceived(response, to: query, at: now, jitter: random.next()) }
        case .get(let response, let query):
            simulation.trace.note(simulation.now, number, "got", query.reference.text)
            tellInbox { $0.recordReceived(response, to: query, at: now, jitter: random.next()) }
        case .subscribed(let request, let socket):
            guard socket == self.socket else { return }
            tellInbox { $0.subscribed(request, at: now) }
        case .unsubscribed(let request, let failure, let socket):
            guard socket == self.socket else { return }
            tellInbox { $0.subscriptionFailed(request, failure, at: now, jitter: random.next()) }
        }
    }

    func pushed(_ record: ServerRecord, _ socket: Int) async throws {
        guard socket == self.socket, !isSilent, isConnected else { return }
        inbox?.messageReceived(at: now)
        if simulation.strikes(.loss, once: 30) {
            simulation.trace.note(simulation.now, number, "unusable")
            return tellInbox { $0.messageUnusable(record.reference.model, at: now) }
        }
        simulation.trace.note(simulation.now, number, "push", "\(record.reference.text) \(record.version)")
        let before = try await knownVersion(of: record.reference)
        try await write { pending in
            self.received(try await self.syncStore.receive(pushed: [record], pending))
        }
        // Only a base query may lower a version.
        guard let before, let after = try await knownVersion(of: record.reference), after < before else { return }
        throw SimulationFailure("client \(number) goes back from \(before) to \(record.reference.text) \(after)")
    }

    func sessionReturned() async throws {
        tokenEnd = simulation.isTroubled ? simulation.now + 30_000 : .max
        tellOutbox { $0.sessionRestored(at: now) }
        tellInbox { $0.sessionRestored(at: now) }
    }

    func noticed() async throws { try await catchUp() }

    func networkChanged(_ isOnline: Bool) async throws {
        if isOnline { isConnected = true }
        knowsConnection = true
        simulation.trace.note(simulation.now, number, "network", "\(isOnline)")
        if !isOnline {
            socket += 1
            subscriptions = [:]
            isSilent = false
        }
        try await act(in: life) { client in
            client.tellLifecycle { $0.networkChanged(isOnline: isOnline, at: client.now) }
            client.tellOutbox { $0.networkChanged(isOnline: isOnline, at: client.now) }
            client.tellInbox { $0.networkChanged(isOnline: isOnline, at: client.now) }
        }
    }

    func lostSocket(_ socket: Int) async throws {
        guard socket == self.socket else { return }
        self.socket += 1
        subscriptions = [:]
        isSilent = false
        for model in simulation.server.models.names {
            guard let request = requests[model] else { continue }
            tellInbox { $0.subscriptionLost(request, at: now, jitter: random.next()) }
        }
    }

    // MARK: Findings of a write

    func received(_ reception: SyncStore.Reception) {
        for model in reception.modelsBehind { wentBack(model) }
        hinted(reception.hints)
    }

    func wentBack(_ model: String) { tellInbox { $0.serverWentBack(model, at: now) } }

    func hinted(_ hints: [RecordHint]) {
        guard !hints.isEmpty else { return }
        simulation.trace.note(now, number, "hints", "\(hints.count)")
        tellInbox { $0.recordsHinted(hints, at: now) }
    }

    // MARK: The app

    /// A record among the few that all devices change.
    func anyRecord() -> RecordReference {
        random.once(in: 3)
            ? RecordReference(model: "Blog", id: RecordID("b\(random.below(3))"))
            : RecordReference(model: "Post", id: RecordID("p\(random.below(5))"))
    }

    /// Makes the app change a record, whether or not the engine runs.
    func change() async throws {
        let reference = anyRecord()
        simulation.changeCount += 1
        let name = "\(number).\(simulation.changeCount)"
        let isDeletion = random.once(in: 5)
        let minimum = random.once(in: 6) ? Int64(random.below(50)) : nil
        var row = try await store.record(reference.model, id: reference.id)
        if !isDeletion {
            var next = row ?? Record(model: reference.model, values: ["id": reference.id.components[0]])
            if row == nil || random.once(in: 2) { next["title"] = .string(name) }
            if row == nil || random.once(in: 2) {
                next["rating"] = random.once(in: 6) ? nil : .int(Int64(random.below(60)))
            }
            next["tags"] = .list([.string(name)])
            if reference.model == "Post", random.once(in: 2) { next["blogID"] = .string("b\(random.below(3))") }
            row = next
        }
        simulation.trace.note(simulation.now, number, isDeletion ? "delete" : "save", "\(reference.text) \(name)")
        let condition = minimum.map { QueryPredicate.field("rating", .greaterOrEqual(.int($0))) } ?? .all
        do {
            let saved = row
            let isDone = try await store.writeReturning(requireParents: false) { transaction in
                if isDeletion {
                    return try transaction.delete(reference.model, id: reference.id, where: condition, cascading: false)
                }
                if let saved { try transaction.save(saved, where: condition) }
                return true
            }.result
            if isDone { written.updateValue(isDeletion ? nil : saved, forKey: reference) }
        } catch let error as DataStoreError where error.code == .conditionFailed {
            simulation.trace.note(simulation.now, number, "condition false")
        }
        try await checkWritten()
        let wait = simulation.strikes(.race, once: 2) ? Int64(random.below(simulation.plan.longestRace)) : 0
        simulation.schedule(.notice(client: number, life: life), in: wait)
    }

    // MARK: The end of the faults

    func heal() async throws {
        tokenEnd = .max
        // The device notices that its network was lost and is available again.
        simulation.schedule(.network(client: number, isOnline: false), in: 0)
        simulation.schedule(.network(client: number, isOnline: true), in: 1)
    }

    /// Makes the app decide about its set-aside changes: it discards them, or tries some of them again.
    func decideSetAside(retries: Bool) async throws {
        try await act(in: life) { client in
            for change in try await client.syncStore.setAside() {
                let isRetried = retries && client.random.once(in: 2)
                client.simulation.trace.note(
                    client.simulation.now, client.number, isRetried ? "retry" : "discard", change.reference.text)
                client.written[change.reference] = nil
                client.mayReplaceRows = true
                defer { client.mayReplaceRows = false }
                try await client.write { pending in
                    if isRetried {
                        try await client.syncStore.retry(first: change.first, pending)
                    } else {
                        try await client.syncStore.discard(first: change.first, pending)
                    }
                }
            }
        }
    }

    var isIdle: Bool {
        guard let outbox, let inbox, !isSilent else { return false }
        return outbox.isEmpty && inbox.isIdle && (inbox.isSubscribed || sockets != .accepted)
    }

    /// The states of the machines, for the text of a failure.
    var summary: String {
        guard let outbox, let inbox else { return "the engine does not run" }
        return "\(outbox.pendingCount) pending, \(outbox.inFlightCount) in flight, inbox idle: \(inbox.isIdle), "
            + "subscribed: \(inbox.isSubscribed), failing: \(inbox.failingModels.keys.sorted().joined(separator: " ")), "
            + outbox.pending.references.map(\.text).joined(separator: " ")
    }
}

extension Inbox.QueryResponse {
    var text: String {
        switch self {
        case .page(let page): "\(page.records.count) records, \(page.nextToken == nil ? "the last" : "more")"
        case .tokenRefused: "token refused"
        case .refused(let errorType, _): "refused \(errorType)"
        case .failed: "failed"
        case .unauthenticated: "unauthenticated"
        }
    }
}

extension Outbox.Answer.Outcome {
    var text: String {
        switch self {
        case .taken(let record): "taken \(record?.version ?? 0)"
        case .setAside(let reason, _): "set aside \(reason.errorType)"
        case .replaced(let reason, _): "replaced \(reason.errorType)"
        case .yielded(let record): "yielded \(record.version)"
        }
    }
}
