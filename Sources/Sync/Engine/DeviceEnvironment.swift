internal import TidelogCore
internal import TidelogFoundation

/// The environment of an app's engine: the system's clock, a server, a store and the app. Requests run in tasks of their own,
/// which put their answers into the mailbox.
final class DeviceEnvironment: SyncEnvironment {
    /// The shortest time between two notices of new events.
    private static let noticeInterval = Duration.milliseconds(10)

    private let settings: SyncSettings
    private let mailbox: SyncMailbox
    private var server: SyncServer
    private let broadcast: SyncBroadcast
    private let calls: SyncCalls
    private let lease: SyncLease
    private let tasks = SyncTasks()
    /// The tasks that request subscriptions, by model.
    private var subscribing: [String: UInt64] = [:]
    /// The time at which the machine's next turn begins at the latest; `nil` if it has not said one since the last wait.
    private var wakeTime: Int64?
    private var nextWake: (time: Int64, task: Task<Void, Never>)?
    private let start = ContinuousClock.now

    init(
        _ settings: SyncSettings, _ server: SyncServer, _ mailbox: SyncMailbox, _ broadcast: SyncBroadcast,
        _ calls: SyncCalls
    ) {
        self.settings = settings
        self.server = server
        self.mailbox = mailbox
        self.broadcast = broadcast
        self.calls = calls
        lease = SyncLease(of: settings.store)
    }

    /// Runs the engine until it is deallocated.
    func run() async {
        let machine = SyncMachine(settings.machine, status: broadcast.status, seed: .random(in: 0 ... .max))
        let shell = SyncShell(machine, self)
        while !shell.machine.isEnding {
            let inputs = await mailbox.next()
            let start = ContinuousClock.now
            await shell.run(inputs)
            // Inputs that follow each other closely share one turn and one write.
            let end = start + .milliseconds(shell.machine.turnInterval)
            if end > .now { try? await Task.sleep(until: end) }
            planWake()
        }
        tasks.cancelAll()
        lease.giveUp()
        broadcast.finish()
    }

    // MARK: Time

    var moment: SyncMachine.Moment {
        let elapsed = (ContinuousClock.now - start).components
        let now = elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
        return SyncMachine.Moment(now: now, clockOffset: Int64(Date().timeIntervalSince1970 * 1_000) - now)
    }

    func wake(at time: Int64) { wakeTime = time }

    /// Makes the next turn begin in time. After a turn's interval, that time has often come, so that it needs no task.
    private func planWake() {
        guard let time = wakeTime.take() else { return }
        let now = moment.now
        guard time > now else { return mailbox.add(.timePassed) }
        if let nextWake, nextWake.time <= time, nextWake.time > now { return }
        nextWake?.task.cancel()
        let task = Task { [mailbox] in
            do { try await Task.sleep(for: .milliseconds(time - now)) } catch { return }
            mailbox.add(.timePassed)
        }
        nextWake = (time, task)
    }

    // MARK: The store

    func takeLease() -> Bool {
        // The process that writes a store must sync it.
        !settings.store.isReadOnly && lease.take { [mailbox] in mailbox.add(.leaseFree) }
    }

    func giveUpLease() { lease.giveUp() }

    func unopenedStorage() -> SyncStore { SyncStore(settings.store, settings.models) }

    func open(for identity: SyncIdentity) async throws -> (SyncStore, SyncMachine.Contents) {
        let scope = try settings.scope()
        (server.filters, server.limitedModels) = (scope.filters, Set(scope.texts.keys))
        let wait = try settings.store.eventWait()
        let includes: @Sendable (Record) -> Bool = { scope.includes($0) }
        let chosen = try await settings.chosenProtocol()
        server.use(chosen, mayChoose: settings.machine.syncProtocol == .automatic)
        let storage = SyncStore(
            settings.store, settings.models, generation: wait.generation, hasVersions: chosen.hasVersions,
            isInScope: scope.isEmpty ? nil : includes)
        try await storage.expect(identity)
        await server.expect(identity)
        var contents = try await storage.contents()
        contents.questions = server.questions(scope.texts)
        contents.syncProtocol = chosen
        let head = contents.pending.head.sequence
        tasks.run { [mailbox] in
            var seen = head
            do {
                while true {
                    seen = try await wait.events(after: seen)
                    mailbox.notice()
                    // If many commits follow each other, reading them together costs less.
                    try await Task.sleep(for: Self.noticeInterval)
                }
            } catch {
                if !(error is CancellationError) { mailbox.add(.failed(error)) }
            }
        }
        return (storage, contents)
    }

    func awaitResumption() {
        tasks.run { [settings, mailbox] in
            // If the store was closed, the next start fails and says so.
            do { try await settings.store.waitUntilResumed() } catch is CancellationError { return } catch {}
            mailbox.add(.resumed)
        }
    }

    func setSynced(_ isSynced: Bool, model: String) { try? settings.store.setSynced(isSynced, model: model) }

    // MARK: The server

    func begin(_ request: SyncMachine.Request, life: Int) {
        switch request {
        case .identity: answer(in: life) { await $0.identified() }
        case .mutations(let mutations, let tickets):
            answer(in: life) { await $0.send(mutations, tickets) }
        case .fetch(let reference, let ticket): answer(in: life) { .fetch(await $0.fetch(reference), ticket) }
        case .page(let query) where query.usesIndex:
            let storage = unopenedStorage()
            answer(in: life) { .page(await $0.indexPage(query, storage.partitions), query) }
        case .page(let query): answer(in: life) { .page(await $0.page(query), query) }
        case .records(let queries):
            answer(in: life) { .records(await $0.fetch(queries.map(\.reference)), queries) }
        case .subscribe(let request, let connection): subscribe(request, connection, life)
        }
    }

    /// Runs a request. Its answer arrives in the mailbox.
    private func answer(in life: Int, _ body: @escaping @Sendable (SyncServer) async -> SyncMachine.Answer) {
        tasks.run { [server, mailbox] in mailbox.add(.answer(await body(server), life: life)) }
    }

    private func subscribe(_ request: Inbox.SubscriptionRequest, _ connection: Int, _ life: Int) {
        let model = request.model
        subscribing[model] = tasks.run { [server, mailbox] in
            let answer: SyncMachine.Answer
            do throws(GraphQLClientError) {
                try await server.subscribe(
                    model,
                    deliver: { payload, field in
                        mailbox.push(.pushed(server.push(payload, of: model, field: field, connection: connection)))
                    },
                    end: { _ in
                        mailbox.add(.answer(.subscriptionLost(request, connection: connection), life: life))
                    })
                answer = .subscribed(request, connection: connection)
            } catch {
                answer = .subscriptionFailed(
                    request, connection: connection, error.subscriptionFailure, cause: RequestFailure(error))
            }
            mailbox.add(.answer(answer, life: life))
        }
    }

    func unsubscribe(model: String) { subscribing.removeValue(forKey: model).map { tasks.cancel($0) } }

    func disconnect() async { await server.realTime.disconnect() }

    func cancelAll() async {
        tasks.cancelAll()
        subscribing = [:]
        await server.realTime.disconnect()
        await server.expect(nil)
    }

    // MARK: The app

    func decide(
        _ conflict: SyncConflict, slot: Int, life: Int, in storage: SyncStore
    ) async throws -> SyncConflict.Decision? {
        switch settings.conflictHandler {
        // A server with versions merges by fields before it refuses a change.
        case .applyRemote where storage.hasVersions: return .applyRemote
        case .retryLocal: return .retryLocal
        case .applyRemote, .mergeFields: return conflict.merged(from: try await storage.row(at: conflict.base))
        case .custom(let decide):
            guard let data = try await storage.data(of: conflict) else { return .applyRemote }
            let model = settings.models[conflict.local.reference.model]
            tasks.run { [mailbox] in
                let decision = SyncConflict.Decision(await decide(data), over: conflict.remote.row, model)
                mailbox.add(.answer(.resolved(decision, slot: slot), life: life))
            }
            return nil
        }
    }

    var isHeard: Bool { broadcast.isHeard }

    func tell(_ message: SyncMachine.Message) {
        switch message {
        case .event(let event): broadcast.send(event)
        case .missed(let count): broadcast.skip(count)
        case .failure(let failure): settings.handleError(failure)
        case .notice(let notice): settings.notify(notice)
        case .status(let status): broadcast.update(status)
        }
    }

    func finish(goal: UInt64, with report: SyncReport) { calls.finish(goal: goal, with: report) }

    func finish(stop: UInt64) { calls.finish(stop: stop) }
}

extension SyncConflict.Decision {
    /// The decision of the app's handler.
    ///
    /// - Parameter remote: The server's row. Fields with the same values are not sent, because the person may not have the
    ///   permission to write or to read them.
    fileprivate init(_ resolution: ConflictResolution, over remote: Record?, _ model: SyncModels.Model?) {
        switch resolution {
        case .applyRemote: self = .applyRemote
        case .retryLocal: self = .retryLocal
        case .retry(let record):
            guard let model else {
                self = .applyRemote
                return
            }
            let fields = OutgoingMutation.fields(.all, of: record, .update, model)
                .filter { name, value in remote?[name] != value }
            self = fields.isEmpty ? .applyRemote : .retry(fields)
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
