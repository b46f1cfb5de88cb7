import SeededNumbers
import TidelogCore
import TidelogSync

/// The calls of the app that wait, and the checks of their ends.
extension SimulatedClient {
    /// A call that waits.
    struct Call {
        let goal: SyncMachine.Goal
        /// The versions that the server's records had at the call.
        let versions: [RecordReference: UInt64]
        /// The lives of the server's records before the call.
        let lives: Lives
    }

    /// How often the server was restored, and how often it may have purged tombstones. A record with a version that it had
    /// before one of these events may be another record.
    struct Lives: Equatable {
        let restoreCount: Int
        let purgeCount: Int

        init(_ simulation: Simulation) {
            restoreCount = simulation.server.restoreCount
            purgeCount = simulation.trace.counts["absence"] ?? 0
        }
    }

    /// Makes the app wait until everything is sent and received, or until the store has what the server has now.
    func call() async throws {
        guard outbox != nil, !isStopped else { return }
        callCount += 1
        var kind = SyncMachine.Goal.Kind.settled
        if random.once(in: 2) { kind = .caughtUp(try store.head.sequence) }
        let goal = SyncMachine.Goal(
            kind, number: callCount, patience: random.once(in: 2) ? 60_000 : nil,
            wait: random.once(in: 4) ? 2_000 : nil)
        let versions = try await simulation.server.versions()
        calls[callCount] = Call(goal: goal, versions: versions, lives: Lives(simulation))
        simulation.trace.note(simulation.now, number, "call", "\(callCount)")
        try await pass(.await(goal))
        guard random.once(in: 6) else { return }
        simulation.schedule(
            .input(client: number, life: life, .giveUp(goal: callCount)), in: Int64(random.below(3_000)))
    }

    func callEnded(_ number: UInt64, _ report: SyncReport) { endedCalls.append((number, report)) }

    /// Checks the calls that ended in this turn.
    func checkCalls() async throws {
        for (call, report) in endedCalls {
            guard let ended = calls.removeValue(forKey: call) else {
                throw SimulationFailure("a call of client \(number) ends twice")
            }
            simulation.trace.note(simulation.now, number, "call ended", "\(call) \(report.failure == nil)")
            // A call that may only take a certain time ends without a failure when the time is over.
            if report.failure == nil, ended.goal.wait == nil { try await check(ended) }
        }
        endedCalls = []
    }

    private func check(_ call: Call) async throws {
        let pending = try await syncStore.contents().pending
        switch call.goal.kind {
        case .settled:
            let failing = Set((outbox?.failingChanges ?? []).map(\.reference))
            // The log still has changes that cancel each other out, if older changes are pending. The engine has ended them.
            let pending = outbox?.pending ?? pending
            // The engine may not have read the last changes yet.
            let head = outbox?.pending.head.sequence ?? SequenceNumber(.max)
            let isSent = pending.references.allSatisfy { reference in
                let changes = pending.changes(of: reference)
                // A child waits for the creation of its parent.
                let isBlocked = changes.last?.parents.contains { failing.contains($0) } ?? false
                return isBlocked || failing.contains(reference) || changes.allSatisfy { $0.sequence > head }
            }
            guard isSent else {
                throw SimulationFailure(
                    "a sync of client \(number) ends before its changes are sent: \(summary), failing: "
                        + failing.map(\.text).sorted().joined(separator: " "))
            }
        case .caughtUp(let sequence):
            guard pending.oldest.map({ $0.sequence > sequence }) ?? true else {
                throw SimulationFailure("client \(number) has not caught up: a change is pending")
            }
            try await check(call.versions, since: call.lives)
        }
    }

    /// Checks that the device knows these versions of the server's records, or later ones.
    private func check(_ versions: [RecordReference: UInt64], since lives: Lives) async throws {
        // Other devices with faults see the same records.
        guard minimumRating == nil, maximumRecords == nil, simulation.plan.isServerExact, Lives(simulation) == lives
        else { return }
        let now = try await simulation.server.versions()
        for (reference, version) in versions where !simulation.undecodable.contains(reference) {
            // A record that was deleted since then may have left the store.
            guard let present = now[reference], present >= version else { continue }
            let known = try await knownVersion(of: reference) ?? 0
            guard known < version else { continue }
            throw SimulationFailure(
                "client \(number) has not caught up: it knows version \(known) of \(reference.text), not \(version)")
        }
    }
}
