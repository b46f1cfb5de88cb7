internal import TidelogCore

/// Executes what the machine of the sync engine decides: it passes inputs to the machine, and the machine's actions to the
/// environment. It decides nothing itself.
package final class SyncShell<Environment: SyncEnvironment> {
    package private(set) var machine: SyncMachine
    private let environment: Environment
    private var storage: Environment.Storage

    package init(_ machine: SyncMachine, _ environment: Environment) {
        self.machine = machine
        self.environment = environment
        storage = environment.unopenedStorage()
    }

    /// Runs one turn with the inputs that have come since the last one.
    package func run(_ inputs: [SyncMachine.Input]) async {
        machine.isHeard = environment.isHeard
        for input in inputs { pass(input) }
        pass(.timePassed)
        // A failure may lead to a new start at once, and that start may fail as well.
        while true {
            do {
                try await runActions()
                break
            } catch {
                pass(.failed(error))
            }
        }
        for action in machine.endTurn() { await end(action) }
    }

    private func pass(_ input: SyncMachine.Input) { machine.handle(input, at: environment.moment) }

    private func pass(_ result: SyncMachine.Result) { pass(.result(result)) }

    private func runActions() async throws {
        while true {
            let actions = machine.nextActions()
            guard !actions.isEmpty else { return }
            for action in actions { try await run(action) }
        }
    }

    // MARK: Actions

    private func run(_ action: SyncMachine.Action) async throws {
        switch action {
        case .takeLease: pass(.leaseTaken(environment.takeLease()))
        case .giveUpLease: environment.giveUpLease()
        case .open(let identity):
            let (storage, contents) = try await environment.open(for: identity)
            self.storage = storage
            pass(.opened(contents))
        case .close:
            await environment.cancelAll()
            pass(.closed)
        case .awaitResumption: environment.awaitResumption()
        case .countPending:
            // The store may have been cleared since the engine last opened it.
            storage = environment.unopenedStorage()
            let pending = try await storage.contents().pending
            pass(.pendingCounted(pending.count, oldest: pending.oldest?.madeAt))
        case .countSetAside: pass(.setAsideCounted(await setAside()))
        case .readLog: try await readLog()
        case .request(let request, let life): environment.begin(request, life: life)
        case .unsubscribe(let model): environment.unsubscribe(model: model)
        case .disconnect: await environment.disconnect()
        case .prepare(let preparations): pass(.prepared(try await storage.prepared(preparations)))
        case .decide(let conflict, let slot, let life):
            let decision = try await environment.decide(conflict, slot: slot, life: life, in: storage)
            if let decision { pass(.decided(decision, slot: slot)) }
        case .setSynced(let isSynced, let model): environment.setSynced(isSynced, model: model)
        case .append, .receivePushes, .receivePage, .receiveRecords, .sweep, .settle, .join, .advance, .choose:
            try await write(action)
        case .tell, .finish, .finishStops, .wake: await end(action)
        }
    }

    /// Executes an action that cannot fail.
    private func end(_ action: SyncMachine.Action) async {
        switch action {
        case .tell(let message): environment.tell(message)
        case .finish(let goals, let report):
            let report = await completed(report)
            for goal in goals { environment.finish(goal: goal, with: report) }
        case .finishStops(let calls): for call in calls { environment.finish(stop: call) }
        case .wake(let time): environment.wake(at: time)
        default: assertionFailure("only messages, reports and the next time come at the end of a turn")
        }
    }

    // MARK: The store

    /// Performs a write, and reads the log before and after it.
    private func write(_ action: SyncMachine.Action) async throws {
        while true {
            // The machines may have ended since they requested the action.
            guard machine.pending != nil else { return }
            do {
                let result = try await written(action)
                try await readLog()
                if let result { pass(result) }
                return
            } catch is SyncStore.Overtaken {
                try await readLog()
            }
        }
    }

    /// Performs the write of an action. The index of the pending changes is read once and not kept, because otherwise the next
    /// events would copy it.
    private func written(_ action: SyncMachine.Action) async throws -> SyncMachine.Result? {
        switch action {
        case .append(let append): return .appended(append, try await storage.append(append, pending))
        case .receivePushes(let records):
            return .pushesReceived(try await storage.receive(pushed: records, pending))
        case .receivePage(let page): return .pageReceived(page, try await storage.receive(page, pending))
        case .receiveRecords(let answers):
            return .recordsReceived(answers, try await storage.receive(answers, pending))
        case .sweep(let sweep): return .swept(sweep, try await storage.sweep(sweep, pending))
        case .settle(let reference, let last, let slot):
            try await storage.settle(reference, through: last, pending)
            return .settled(slot: slot)
        case .join(let reference): try await storage.join(reference, pending)
        case .advance(let position): try await storage.advance(to: position)
        case .choose(let chosen):
            try await storage.note(chosen)
            return .chosen(chosen)
        default: assertionFailure("the action writes nothing")
        }
        return nil
    }

    private var pending: PendingChanges { machine.pending ?? PendingChanges(after: .start) }

    private func readLog() async throws {
        guard let (head, isQuiet) = machine.pending.map({ ($0.head, $0.isEmpty) }) else { return }
        pass(.logRead(try await storage.newEvents(after: head, isQuiet: isQuiet, isHeard: machine.isHeard)))
    }

    private func setAside() async -> (count: Int, oldest: Int64?)? {
        guard let changes = try? await storage.setAside() else { return nil }
        var oldest: Int64?
        if let first = changes.first?.first { oldest = try? await storage.time(of: first) }
        return (changes.count, oldest)
    }

    /// The report with the facts that the store has.
    private func completed(_ report: SyncReport) async -> SyncReport {
        var report = report
        do {
            if let pending = machine.pending {
                report.pending = pending.count
            } else {
                report.pending = try await storage.contents().pending.count
            }
            report.setAside = try await storage.setAside().count
            report.lastSync = try await storage.lastSyncs()
        } catch {
            report.failure = report.failure ?? SyncError.store(error)
        }
        return report
    }
}
