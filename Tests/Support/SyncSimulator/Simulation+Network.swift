import SeededNumbers
import TidelogCore
import TidelogSync

/// The network between the devices and the server.
extension Simulation {
    /// Sends a request of a device.
    func send(_ request: SyncMachine.Request, from origin: Origin) {
        trace.note(now, origin.client, "send", request.text)
        let client = clients[origin.client]
        if !client.isConnected, random.once(in: 2) {
            trace.note(now, origin.client, "unreachable")
            let failure = RequestFailure(.unreachable, "The server cannot be reached.")
            return schedule(.answer(origin, request.failed(failure)), in: Int64(random.below(3_000)))
        }
        transmit(.request(origin, request), of: client)
    }

    func sendEnd(of request: Inbox.SubscriptionRequest, _ connection: Int, client: Int, life: Int) {
        transmit(.end(client: client, life: life, request, connection: connection), of: clients[client])
    }

    private func transmit(_ event: Event, of client: SimulatedClient) {
        if !client.isConnected || !(admits?(event) ?? true) || strikes(.loss, once: 12) {
            trace.note(now, client.number, "lost")
            return
        }
        if strikes(.hang, once: 25) {
            schedule(event, in: 20_000 + Int64(random.below(60_000)))
            return
        }
        schedule(event, in: delay())
        if strikes(.duplication, once: 12) { schedule(event, in: delay()) }
    }

    private func delay() -> Int64 {
        guard has(.reordering) else { return 20 }
        count(.reordering)
        return Int64(random.below(400))
    }

    /// Serves a request that arrived at the server.
    func serve(_ request: SyncMachine.Request, from origin: Origin) async throws {
        let client = clients[origin.client]
        if now < overloadedUntil || strikes(.overload, once: 40) {
            // No response comes to a request for a subscription.
            if case .subscribe = request { return }
            let failure = RequestFailure(.unusable, "The server is overloaded.")
            return respond(request.failed(failure, wait: 500), to: origin)
        }
        switch request {
        case .identity: break
        case .mutations, .fetch, .page, .records:
            guard client.tokenEnd >= now else { return respond(request.expired, to: origin) }
            if let answer = try await answer(to: request, of: client) { respond(answer, to: origin) }
        case .subscribe(let request, let connection):
            switch client.sockets {
            case .accepted:
                if origin.life == client.life, origin.socket == client.socket {
                    client.subscriptions[request.model] = origin.socket
                    client.servedRequests[request.model] = (request.number, connection)
                }
                respond(.subscribed(request, connection: connection), to: origin)
            case .refused:
                let reason = "The server answered 403."
                respond(
                    .subscriptionFailed(
                        request, connection: connection, .noConnection(reason, isUnreachable: false),
                        cause: RequestFailure(.unusable, reason)), to: origin)
            case .unacknowledged: break
            }
        }
    }

    private func answer(
        to request: SyncMachine.Request, of client: SimulatedClient
    ) async throws -> SyncMachine.Answer? {
        switch request {
        case .mutations(let mutations, let tickets):
            var responses: [SyncResponse<Outbox.MutationResponse>] = []
            for mutation in mutations {
                let (response, changes) = try await server.mutate(mutation)
                trace.note(now, nil, "mutation", "\(mutation.text) of \(client.number): \(response.text)")
                responses.append(respond(redacted(response)))
                for change in changes { push(change) }
            }
            return .mutations(responses, tickets, refusesBatches: plan.refusesBatches && mutations.count > 1)
        case .fetch(let reference, let ticket): return .fetch(respond(try await server.fetch(reference)), ticket)
        case .page(let query):
            if stampServer != nil, client.protocol != .timestamps { return .page(respond(.lacksVersions), query) }
            var response =
                query.usesIndex
                ? try await indexPage(query, of: client)
                : try await server.page(query, minimumRating: client.minimumRating)
            if query.lastSync == nil { response = scanned(response) }
            return .page(respond(damaged(response)), query)
        case .records(let queries):
            var responses: [SyncResponse<Outbox.FetchResponse>] = []
            for query in queries {
                responses.append(respond(overlooked(try await server.fetch(query.reference))))
            }
            return .records(responses, queries)
        case .identity, .subscribe: return nil
        }
    }

    /// A page of an index, whose partitions the device reads from its store.
    private func indexPage(_ query: Inbox.Query, of client: SimulatedClient) async throws -> Inbox.QueryResponse {
        // The device does not have the blogs that its sync expression leaves out.
        guard let stampServer, plan.servesTimeIndex, client.minimumRating == nil,
            let index = server.models[query.model]?.timeIndexes.first
        else { return .lacksIndex }
        let partitions = try await client.syncStore.partitions(of: index, query.model)
        trace.note(now, nil, query.lastSync == nil ? "keys page" : "changes page", query.model)
        return try await stampServer.page(query, minimumRating: nil, partitions: Set(partitions))
    }

    /// The response with the facts that the server tells in each response.
    private func respond<Content>(_ content: Content) -> SyncResponse<Content> {
        SyncResponse(content, knowsMutationIDs: plan.serverKnowsIDs, isExact: plan.isServerExact)
    }

    /// Ends the subscriptions of a request.
    func end(_ request: Inbox.SubscriptionRequest, _ connection: Int, of client: SimulatedClient) {
        // A later start of the engine gives the same numbers to its requests, on another connection.
        guard let served = client.servedRequests[request.model], served == (request.number, connection) else { return }
        client.subscriptions[request.model] = nil
        client.servedRequests[request.model] = nil
    }

    /// A copy of the page in which the device cannot decode one item.
    private func damaged(_ response: Inbox.QueryResponse) -> Inbox.QueryResponse {
        guard case .page(var page) = response, !page.records.isEmpty, strikes(.damage, once: 8) else { return response }
        undecodable.insert(page.records.remove(at: random.below(page.records.count)).reference)
        page.unusableCount += 1
        trace.note(now, nil, "damaged page")
        return .page(page)
    }

    // MARK: Servers whose records cannot be relied on

    /// The response as the device receives it.
    private func redacted(_ response: Outbox.MutationResponse) -> Outbox.MutationResponse {
        guard !plan.isServerExact else { return response }
        let hidden = redacted.union(strikes(.redaction, once: 3) ? ["rating", "tags"] : [])
        guard case .written(var record) = response else { return response.lackingValues(of: server.models) }
        for name in hidden { record.row?[name] = nil }
        return Outbox.MutationResponse.written(record).lackingValues(of: server.models)
    }

    /// The record as the device receives it in a push.
    private func selected(_ record: ServerRecord) -> ServerRecord {
        guard !plan.isServerExact else { return record }
        var record = record
        record.mayLackValues = true
        // A push without a required field has no usable record.
        let required: Set = ["id", "createdAt", "updatedAt"]
        var shown = selected
        if strikes(.selection, once: 3) { shown = random.once(in: 2) ? ["title"] : [] }
        guard let shown, let names = record.row?.values.keys else { return record }
        for name in names where !required.contains(name) && !shown.contains(name) { record.row?[name] = nil }
        return record
    }

    /// The page of a base query that does not see one of the latest changes.
    private func scanned(_ response: Inbox.QueryResponse) -> Inbox.QueryResponse {
        guard case .page(var page) = response, !plan.isServerExact else { return response }
        page.records.removeAll { unscanned.contains($0.reference) }
        let latest = page.records.filter { $0.lastChangedAt >= page.startedAt - 2_000 }
        if !latest.isEmpty, strikes(.staleness, once: 2) {
            let missing = random.pick(latest).reference
            page.records.removeAll { $0.reference == missing }
            trace.note(now, nil, "stale page", missing.text)
        }
        return .page(page)
    }

    /// The answer to the request for a record, which may not see that the record was created.
    private func overlooked(_ response: Outbox.FetchResponse) -> Outbox.FetchResponse {
        guard case .record(let record?) = response, !plan.isServerExact, record.lastChangedAt >= now - 1_000,
            strikes(.staleness, once: 2)
        else { return response }
        trace.note(now, nil, "stale record", record.reference.text)
        return .record(nil)
    }

    private func respond(_ answer: SyncMachine.Answer, to origin: Origin) {
        transmit(.answer(origin, answer), of: clients[origin.client])
    }

    private func push(_ change: ServerRecord) { push(selected(change), about: change.reference) }

    /// Sends a message to the subscribers.
    ///
    /// - Parameter record: The record in the message; `nil` if its writer selected too few fields.
    func push(_ record: ServerRecord?, about reference: RecordReference) {
        for client in clients {
            guard let socket = client.subscriptions[reference.model], socket == client.socket else { continue }
            // A socket is lost with the first message that it cannot deliver, unless it is silent.
            if !client.isConnected { client.isSilent = true }
            if client.isSilent { continue }
            if strikes(.loss, once: 20) {
                schedule(.socketLost(client: client.number, life: client.life, socket: socket), in: delay())
                client.subscriptions = [:]
                continue
            }
            let connection = client.servedRequests[reference.model]?.connection ?? 0
            var push = SyncMachine.Push(
                model: reference.model, record: record, isDeletion: record?.isDeleted ?? false, connection: connection)
            if record == nil { push.reference = reference }
            let event = Event.push(client: client.number, life: client.life, socket: socket, push)
            schedule(event, in: delay())
            if strikes(.duplication, once: 12) { schedule(event, in: delay()) }
        }
    }

    // MARK: Faults

    /// Causes a fault, and schedules the next one.
    func trouble() async throws {
        guard isTroubled else { return }
        schedule(.trouble, in: 200 + Int64(random.below(4_000)))
        let client = random.pick(clients)
        switch random.pick(SimulationPlan.Fault.troubles) {
        case .partition where has(.partition):
            count(.partition)
            client.isConnected = false
            trace.note(now, client.number, "partition")
            let isNoticed = random.once(in: 2)
            if isNoticed { schedule(.network(client: client.number, isOnline: false), in: 100) }
            let duration = Int64(random.below(20_000))
            schedule(.network(client: client.number, isOnline: true), in: 200 + duration)
            guard !isNoticed, plan.hasUnsteadyNetwork else { break }
            // The server is reached for a moment and lost again. The device does not notice the change of its network.
            for moment in 0..<6 as Range<Int64> {
                let begin = 1_000 + moment * 2_000
                schedule(.connection(client: client.number, isConnected: true), in: begin)
                schedule(.connection(client: client.number, isConnected: false), in: begin + 500)
            }
        case .crash where has(.crash):
            count(.crash)
            client.crash()
        case .expiry where has(.expiry):
            count(.expiry)
            client.tokenEnd = now
        case .skew where has(.skew):
            count(.skew)
            client.skew = Int64(random.below(4_000_000)) - 2_000_000
            trace.note(now, client.number, "skew", "\(client.skew)")
        case .absence where has(.absence) && random.once(in: 4):
            count(.absence)
            clock.now += Int64(1 + random.below(40)) * 86_400_000
            try await server.purge()
            trace.note(now, nil, "absence")
        case .restore where has(.restore): try await copyOrRestore()
        case .copy where has(.copy) && plan.copiesStores: try await copyOrReplace(client)
        case .silence where has(.silence):
            count(.silence)
            client.isSilent = true
        case .overload where has(.overload):
            count(.overload)
            overloadedUntil = now + Int64(random.below(6_000))
        case .modelFailure where has(.modelFailure):
            count(.modelFailure)
            server.troubles.failingModels =
                server.troubles.failingModels.isEmpty ? [random.pick(server.models.names)] : []
            trace.note(now, nil, "failing", server.troubles.failingModels.joined())
        case .noSocket where has(.noSocket):
            count(.noSocket)
            let treatments = SimulatedClient.Sockets.allCases
            client.sockets = client.sockets == .accepted ? random.pick(treatments) : .accepted
            trace.note(now, client.number, "sockets", client.sockets.rawValue)
        case .stop where has(.stop):
            count(.stop)
            try await client.stop()
            schedule(.start(client: client.number), in: Int64(random.below(5_000)))
        case .refusal where has(.refusal):
            count(.refusal)
            server.troubles.refused = server.troubles.refused.isEmpty ? [client.anyRecord()] : []
        default: try stampServer?.trouble(in: self)
        }
        if strikes(.failure, once: 10) { try await random.pick(clients).fail() }
    }

    /// Copies the files of a device's store, or replaces the store by the last copy, which may be another device's.
    private func copyOrReplace(_ client: SimulatedClient) async throws {
        if let copy, !random.once(in: 3) {
            count(.copy)
            try await client.replaceStore(by: copy)
        } else {
            copy = try await client.copyStore()
        }
    }

    /// Makes a copy of the server, or restores the server from the last copy.
    private func copyOrRestore() async throws {
        if random.once(in: 2) {
            try await server.takeBackup()
            trace.note(now, nil, "backup")
        } else if try await server.restoreBackup(key: random.next()) {
            count(.restore)
            trace.note(now, nil, "restore")
            for client in clients {
                client.subscriptions = [:]
                schedule(.socketLost(client: client.number, life: client.life, socket: client.socket), in: delay())
            }
        }
    }
}

extension SimulationPlan.Fault {
    /// The faults that this method causes. The remaining faults affect single messages and steps.
    fileprivate static let troubles = allCases.filter {
        ![.damage, .failure, .lease, .selection, .redaction, .staleness, .lag, .hostSkew].contains($0)
    }
}

extension SyncMachine.Request {
    /// The answer if there is no usable response.
    ///
    /// - Parameter wait: The milliseconds that the server asks the device to wait.
    func failed(_ failure: RequestFailure, wait: Int64? = nil) -> SyncMachine.Answer {
        let reach: Inbox.QueryFailure.Reach = failure.kind == .unreachable ? .nothing : .response
        switch self {
        case .identity: return .unidentified(failure)
        case .mutations(_, let tickets):
            return .mutations(tickets.map { _ in SyncResponse(.failed(retryAfter: wait), failure: failure) }, tickets)
        case .fetch(_, let ticket): return .fetch(SyncResponse(.failed(retryAfter: nil), failure: failure), ticket)
        case .page(let query):
            let content = Inbox.QueryFailure(reason: failure.message, reach: reach)
            return .page(SyncResponse(.failed(content), failure: failure), query)
        case .records(let queries):
            return .records(queries.map { _ in SyncResponse(.failed(retryAfter: nil), failure: failure) }, queries)
        case .subscribe(let request, let connection):
            return .subscriptionFailed(
                request, connection: connection,
                .noConnection(failure.message, isUnreachable: failure.kind == .unreachable), cause: failure)
        }
    }

    /// The answer to a token that has expired.
    var expired: SyncMachine.Answer {
        let failure = RequestFailure(.unauthorized, "The token has expired.")
        switch self {
        case .identity, .subscribe: return failed(failure)
        case .mutations(_, let tickets):
            return .mutations(tickets.map { _ in SyncResponse(.unauthenticated, failure: failure) }, tickets)
        case .fetch(_, let ticket): return .fetch(SyncResponse(.unauthenticated, failure: failure), ticket)
        case .page(let query): return .page(SyncResponse(.unauthenticated, failure: failure), query)
        case .records(let queries):
            return .records(queries.map { _ in SyncResponse(.unauthenticated, failure: failure) }, queries)
        }
    }

    var text: String {
        switch self {
        case .identity: "identity"
        case .mutations(let mutations, let tickets):
            zip(mutations, tickets).map { "\($0.text) in slot \($1.slot), request \($1.request)" }
                .joined(separator: "; ")
        case .fetch(let reference, _): "fetch \(reference.text)"
        case .page(let query): "query \(query.model) \(query.lastSync ?? -1) \(query.nextToken == nil ? 1 : 2)"
        case .records(let queries): "get " + queries.map(\.reference.text).joined(separator: " ")
        case .subscribe(let request, let connection): "subscribe \(request.model) \(request.number) \(connection)"
        }
    }
}

extension SyncMachine.Answer {
    /// Whether the server refuses the token.
    var isRefused: Bool {
        switch self {
        case .mutations(let responses, _, _): responses.contains { $0.failure?.kind == .unauthorized }
        case .fetch(let response, _): response.failure?.kind == .unauthorized
        case .page(let response, _): response.failure?.kind == .unauthorized
        case .records(let responses, _): responses.contains { $0.failure?.kind == .unauthorized }
        case .subscribed, .subscriptionFailed, .subscriptionLost, .resolved, .identified, .unidentified: false
        }
    }
}

extension RecordReference {
    var text: String {
        if case .string(let text)? = id.components.first { "\(model) \(text)" } else { model }
    }
}

extension OutgoingMutation {
    var text: String { "\(kind) \(reference.text) from \(baseVersion ?? 0) by \(id.sequence) {\(values)}" }

    /// The part of the mutation that must be the same each time that it is sent under one id.
    var content: String { "\(kind) \(reference.text) {\(values)} if \(condition ?? "true")" }

    private var values: String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ")
    }
}

extension FieldValue? {
    /// The value as a text that is the same in every process.
    var text: String {
        switch self {
        case nil: "null"
        case .string(let text)?: text
        case .int(let number)?: "\(number)"
        case .dateTime(let dateTime)?: dateTime.text
        case .list(let elements)?: "[" + elements.map(\.text).joined(separator: " ") + "]"
        default: "?"
        }
    }
}

extension Outbox.MutationResponse {
    var text: String {
        switch self {
        case .written(let record): "written \(record.version)\(record.isDeleted ? " deleted" : "")"
        case .refused(let errorType, _, _): errorType
        case .failed: "failed"
        case .unauthenticated: "unauthenticated"
        }
    }
}
