import SeededNumbers
@_spi(Adapters) import TidelogCore
import TidelogSync

/// The messages that a device receives, and the changes that its app makes.
extension SimulatedClient {
    /// How the server treats the device's WebSockets.
    enum Sockets: String, CaseIterable {
        case accepted, refused, unacknowledged
    }

    func received(_ answer: SyncMachine.Answer, to origin: Simulation.Origin) async throws {
        switch answer {
        case .page(let response, let query):
            simulation.trace.note(
                simulation.now, number, "answered", "\(query.model) \(response.content.text)")
        case .records(_, let queries):
            for query in queries { simulation.trace.note(simulation.now, number, "got", query.reference.text) }
        case .subscribed, .subscriptionFailed: guard origin.socket == socket else { return }
        case .mutations, .fetch, .subscriptionLost, .resolved, .identified, .unidentified: break
        }
        if answer.isRefused { isTokenRefused = true }
        let seen = try encoded(simulation.plan.planted?.changed(answer) ?? answer)
        try await pass([.answer(seen, life: origin.engineLife)], in: origin.life)
    }

    /// The answer with the rows of its records in the form in which an engine receives them.
    private func encoded(_ answer: SyncMachine.Answer) throws -> SyncMachine.Answer {
        if case .mutations(var responses, let tickets, let refusesBatches) = answer {
            for (index, response) in responses.enumerated() {
                guard case .written(let record) = response.content else { continue }
                responses[index].content = .written(try encoded(record))
            }
            return .mutations(responses, tickets, refusesBatches: refusesBatches)
        }
        guard case .page(var response, let query) = answer, case .page(var page) = response.content,
            query.content == .records
        else {
            return answer
        }
        let layout = try store.layout.required(query.model)
        var bytes: [UInt8] = []
        let ranges = page.records.map { record -> Range<Int>? in
            guard let row = record.row, let encoded = try? EncodedRow(stored: row, layout: layout) else { return nil }
            bytes += encoded.bytes
            return bytes.count - encoded.bytes.count..<bytes.count
        }
        let rows = EncodedPage(bytes, layout)
        for (index, range) in ranges.enumerated() {
            guard let range else { continue }
            let record = page.records[index]
            page.records[index] = ServerRecord(
                record.reference, encoded: rows.row(at: range), version: record.version,
                lastChangedAt: record.lastChangedAt)
        }
        response.content = .page(page)
        return .page(response, query)
    }

    /// The record of a server with versions in the form in which an engine receives it.
    private func encoded(_ record: ServerRecord) throws -> ServerRecord {
        guard simulation.plan.protocol.hasVersions, let row = record.row else { return record }
        let layout = try store.layout.required(record.reference.model)
        guard let bytes = try? EncodedRow(stored: row, layout: layout).bytes else { return record }
        var received = ServerRecord(
            record.reference, encoded: EncodedPage(bytes, layout).row(at: bytes.indices), version: record.version,
            lastChangedAt: record.lastChangedAt)
        received.mayLackValues = record.mayLackValues
        return received
    }

    func pushed(_ push: SyncMachine.Push, _ socket: Int) async throws {
        guard socket == self.socket, !isSilent, isConnected else { return }
        var push = push
        if simulation.strikes(.loss, once: 30) {
            simulation.trace.note(simulation.now, number, "unusable")
            push.record = nil
        }
        push.record = try push.record.map { try encoded($0) }
        try await pass(.pushed(push))
    }

    /// Asks the provider of tokens if the server has refused the last token. The provider may give an expired one.
    func renewToken() {
        guard isTokenRefused else { return }
        isTokenRefused = false
        if simulation.isTroubled, random.once(in: 4) { return }
        tokenEnd = simulation.isTroubled ? simulation.now + 30_000 : .max
    }

    func networkChanged(_ isOnline: Bool) async throws {
        if isOnline { isConnected = true }
        knowsConnection = true
        simulation.trace.note(simulation.now, number, "network", "\(isOnline)")
        if !isOnline { loseSocket() }
        if isOnline, simulation.plan.planted == .networkReturnIgnored { return }
        try await pass(.network(isAvailable: isOnline))
    }

    func lostSocket(_ socket: Int) async throws {
        guard socket == self.socket else { return }
        let served = servedRequests
        loseSocket()
        let lost = served.sorted { $0.key < $1.key }.map { model, request in
            SyncMachine.Input.answer(
                .subscriptionLost(
                    Inbox.SubscriptionRequest(model: model, number: request.number), connection: request.connection),
                life: engineLife)
        }
        if simulation.plan.planted != .noQueryAfterLoss { try await pass(lost, in: life) }
    }

    /// The app's decision about a conflict.
    func decide(_ conflict: SyncConflict) async throws -> SyncConflict.Decision {
        try checkConflict(conflict)
        var decision = SyncConflict.Decision.applyRemote
        switch random.below(4) {
        case 0: decision = .retryLocal
        case 1: decision = .retry(["title": .string("resolved \(number) \(simulation.changeCount)")])
        case 2: decision = conflict.merged(from: try await syncStore.row(at: conflict.base))
        // The default handler merges by fields if the server does not.
        default:
            if !syncStore.hasVersions { decision = conflict.merged(from: try await syncStore.row(at: conflict.base)) }
        }
        if let fixed = self.decision { decision = fixed }
        if decision == .applyRemote { yielded.insert(conflict.local.id) }
        simulation.trace.note(simulation.now, number, "conflict", "\(conflict.local.text) \(conflict.round)")
        return decision
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
            let lacksBlog = simulation.plan.hasTimeIndex && next["blogID"] == nil
            if reference.model == "Post", lacksBlog || random.once(in: 2) {
                next["blogID"] = .string("b\(random.below(3))")
            }
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
        simulation.schedule(.input(client: number, life: life, .logNoticed), in: wait)
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
        for change in try await syncStore.setAside() {
            let isRetried = retries && random.once(in: 2)
            simulation.trace.note(
                simulation.now, number, isRetried ? "retry" : "discard", change.reference.text)
            written[change.reference] = nil
            var pending = try await syncStore.contents().pending
            if !pending.changes(of: change.reference).isEmpty {
                // Later changes of the record belong to the set-aside change.
                try await syncStore.join(change.reference, pending)
                pending = try await syncStore.contents().pending
            }
            var isDone = false
            if isRetried {
                do {
                    try await syncStore.retry(first: change.first, pending)
                    isDone = true
                } catch let error as DataStoreError where error.code == .invalidValue {
                    // The record was deleted, and the change of some fields cannot create it again.
                }
            }
            if !isDone { try await syncStore.discard(first: change.first, pending) }
            mayReplaceRows = true
            try await pass(.logNoticed)
            mayReplaceRows = false
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
        case .lacksVersions: "no versions"
        case .lacksIndex: "no index"
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
