import SeededNumbers
import TidelogCore
import TidelogSync

/// The network between the devices and the server.
extension Simulation {
    /// Sends a request of a device.
    func send(_ request: Request, of client: SimulatedClient) {
        trace.note(now, client.number, "send", request.text)
        transmit(.request(client: client.number, life: client.life, request), of: client)
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
    func serve(_ request: Request, of number: Int, _ life: Int) async throws {
        let client = clients[number]
        if now < overloadedUntil || strikes(.overload, once: 40) {
            return respond(request.failure, to: client, life)
        }
        if !request.isSubscription, client.tokenEnd < now { return respond(request.expiry, to: client, life) }
        switch request {
        case .mutation(let mutation, let ticket):
            let (response, changes) = try await server.mutate(mutation)
            trace.note(now, nil, "mutation", "\(mutation.text) of \(number): \(response.text)")
            respond(.mutation(redacted(response), ticket), to: client, life)
            for change in changes { push(change) }
        case .fetch(let reference, let ticket):
            respond(.fetch(try await server.fetch(reference), ticket), to: client, life)
        case .query(let query):
            var response = try await server.page(query, minimumRating: client.minimumRating)
            if query.lastSync == nil { response = scanned(response) }
            respond(.query(damaged(response), query), to: client, life)
        case .get(let query):
            respond(.get(overlooked(try await server.fetch(query.reference)), query), to: client, life)
        case .subscribe(let request, let socket):
            switch client.sockets {
            case .accepted:
                if life == client.life, socket == client.socket {
                    client.subscriptions[request.model] = socket
                    client.servedRequests[request.model] = request.number
                }
                respond(.subscribed(request, socket: socket), to: client, life)
            case .refused:
                let failure = Inbox.SubscriptionFailure.noConnection("The server answered 403.", isUnreachable: false)
                respond(.unsubscribed(request, failure, socket: socket), to: client, life)
            case .unacknowledged: break
            }
        case .unsubscribe(let request, _):
            if life == client.life, client.servedRequests[request.model] == request.number {
                client.subscriptions[request.model] = nil
            }
        }
    }

    /// A copy of the page in which the device cannot decode one item.
    private func damaged(_ response: Inbox.QueryResponse) -> Inbox.QueryResponse {
        guard case .page(var page) = response, !page.records.isEmpty, strikes(.damage, once: 8) else { return response }
        page.records.remove(at: random.below(page.records.count))
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

    private func respond(_ response: Response?, to client: SimulatedClient, _ life: Int) {
        guard let response else { return }
        transmit(.response(client: client.number, life: life, response), of: client)
    }

    private func push(_ change: ServerRecord) {
        let record = selected(change)
        for client in clients {
            guard let socket = client.subscriptions[record.reference.model], socket == client.socket else { continue }
            // A socket is lost with the first message that it cannot deliver, unless it is silent.
            if !client.isConnected { client.isSilent = true }
            if client.isSilent { continue }
            if strikes(.loss, once: 20) {
                schedule(.socketLost(client: client.number, life: client.life, socket: socket), in: delay())
                client.subscriptions = [:]
                continue
            }
            let event = Event.push(client: client.number, life: client.life, socket: socket, record)
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
            client.inbox?.clockOffset = client.skew
            client.outbox?.clockOffset = client.skew
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
            server.failingModels = server.failingModels.isEmpty ? [random.pick(server.models.names)] : []
            trace.note(now, nil, "failing", server.failingModels.joined())
        case .noSocket where has(.noSocket):
            count(.noSocket)
            let treatments = SimulatedClient.Sockets.allCases
            client.sockets = client.sockets == .accepted ? random.pick(treatments) : .accepted
            trace.note(now, client.number, "sockets", client.sockets.rawValue)
        case .refusal where has(.refusal):
            count(.refusal)
            server.refused = server.refused.isEmpty ? [client.anyRecord()] : []
        default: break
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
        ![.damage, .failure, .selection, .redaction, .staleness].contains($0)
    }
}

extension Simulation.Request {
    var isSubscription: Bool {
        switch self {
        case .subscribe, .unsubscribe: true
        case .mutation, .fetch, .query, .get: false
        }
    }

    /// The response of an overloaded server.
    var failure: Simulation.Response? {
        switch self {
        case .mutation(_, let ticket): .mutation(.failed(retryAfter: 500), ticket)
        case .fetch(_, let ticket): .fetch(.failed(retryAfter: nil), ticket)
        case .query(let query):
            .query(.failed(Inbox.QueryFailure(reason: "The server is overloaded.", reach: .response)), query)
        case .get(let query): .get(.failed(retryAfter: nil), query)
        case .subscribe, .unsubscribe: nil
        }
    }

    /// The response to a token that has expired.
    var expiry: Simulation.Response? {
        switch self {
        case .mutation(_, let ticket): .mutation(.unauthenticated, ticket)
        case .fetch(_, let ticket): .fetch(.unauthenticated, ticket)
        case .query(let query): .query(.unauthenticated, query)
        case .get(let query): .get(.unauthenticated, query)
        case .subscribe, .unsubscribe: nil
        }
    }

    var text: String {
        switch self {
        case .mutation(let mutation, let ticket): "\(mutation.text) in slot \(ticket.slot), request \(ticket.request)"
        case .fetch(let reference, _): "fetch \(reference.text)"
        case .query(let query): "query \(query.model) \(query.lastSync ?? -1) \(query.nextToken == nil ? 1 : 2)"
        case .get(let query): "get \(query.reference.text)"
        case .subscribe(let request, let socket): "subscribe \(request.model) \(request.number) \(socket)"
        case .unsubscribe(let request, let socket): "unsubscribe \(request.model) \(request.number) \(socket)"
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
