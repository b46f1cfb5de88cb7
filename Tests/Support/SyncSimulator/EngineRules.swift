import TidelogCore
import TidelogSync

/// Rules of the engine that hold in each turn. A device checks them from outside, with its messages, its writes and its status.
struct EngineRules {
    /// The facts that the inputs of a turn contain.
    private struct Turn {
        var time: Int64
        /// Whether an input other than an answer ends waits: the network returned, or the app started the engine.
        var isExcused = false
        /// Whether the server or the app decided about a mutation, so that the outbox's own pauses end.
        var hasDecision = false
        /// The time at which the next pause of a mutation ended before the turn; `nil` if none paused.
        var pauseEnd: Int64?
        var takenCount = 0
        /// Whether a wait was cut short in this turn.
        var hasCut = false
    }

    /// The time after the server's last answer in which a lost request does not mean that the server is gone.
    private static let goneAfter: Int64 = 1_000
    /// The shortest time between two moments at which waits are cut short because the server answers again.
    private static let hurryInterval: Int64 = 5_000

    private var turn = Turn(time: .min)
    /// The time at which the server answered or pushed last.
    private var lastHeard = Int64.min / 2
    /// The time at which the last request found no server.
    private var lastLost = Int64.min / 2
    /// The time at which credentials were refused first; `nil` after the next request.
    private var refusedAt: Int64?
    private var lastCut = Int64.min / 2
    private var isOnline = false
    private var hasNetwork = true
    /// The mutations that were sent before.
    private var sent: Set<String> = []

    // MARK: Inputs

    /// Begins a turn with these inputs.
    ///
    /// - Parameter machine: The machine before the turn.
    mutating func begin(_ inputs: [SyncMachine.Input], at now: Int64, _ machine: SyncMachine) {
        turn = Turn(time: now, pauseEnd: machine.outbox?.nextPauseEnd)
        for input in inputs {
            switch input {
            case .network(let isAvailable):
                hasNetwork = isAvailable
                turn.isExcused = true
            case .start, .stop, .leaseFree, .failed, .resumed, .end: turn.isExcused = true
            // The machine ignores messages and acknowledgements of a former connection.
            case .pushed(let push): if push.connection == machine.connection { lastHeard = now }
            // The machine ignores answers to an engine that has ended since.
            case .answer(let answer, let life): if life == machine.life { note(answer, at: now, machine) }
            case .await, .giveUp, .timePassed, .logNoticed, .result: break
            }
        }
    }

    private mutating func note(_ answer: SyncMachine.Answer, at now: Int64, _ machine: SyncMachine) {
        switch answer {
        case .mutations(let responses, _, _):
            if responses.contains(where: \.isDecision) { turn.hasDecision = true }
        case .fetch, .resolved: turn.hasDecision = true
        default: break
        }
        switch answer.failure?.kind {
        case nil: if answer.isUsable, machine.heeds(answer) { lastHeard = now }
        case .unreachable: lastLost = now
        case .unauthorized, .noToken, .anotherPerson:
            // The answer to a request whose time has run out is ignored. Further refusals are of requests that were sent before
            // the first one, and the engine waits once for all of them.
            guard machine.waits(for: answer) else { break }
            refusedAt = refusedAt ?? now
        case .unusable: break
        }
    }

    // MARK: Checks

    /// Checks a request. Returns the broken rule as a sentence, or `nil`.
    mutating func request(_ request: SyncMachine.Request) -> String? {
        switch request {
        case .mutations(let mutations, _): return self.mutations(mutations)
        case .fetch, .page, .records:
            if refusedAt != turn.time { refusedAt = nil }
            return nil
        case .identity, .subscribe: return nil
        }
    }

    private mutating func mutations(_ mutations: [OutgoingMutation]) -> String? {
        defer { refusedAt = nil }
        if let refusedAt, refusedAt == turn.time, !turn.isExcused {
            return "sends a mutation at the moment at which its credentials were refused"
        }
        let isRepeated = mutations.contains { sent.contains($0.sentID) }
        for mutation in mutations { sent.insert(mutation.sentID) }
        guard isRepeated, refusedAt == nil, !turn.isExcused, !turn.hasDecision, !turn.hasCut,
            let pauseEnd = turn.pauseEnd, pauseEnd > turn.time
        else { return nil }
        // No pause was over, so the engine has cut one short.
        turn.hasCut = true
        defer { lastCut = turn.time }
        guard turn.time - lastCut < Self.hurryInterval else { return nil }
        return "cuts waits short at \(lastCut) and \(turn.time)"
    }

    /// Checks that the answers of one turn are written together.
    mutating func appended(_ append: SyncMachine.Append) -> String? {
        let isTaken = append.answers.contains { if case .taken = $0.outcome { true } else { false } }
        guard isTaken else { return nil }
        turn.takenCount += 1
        return turn.takenCount == 1 ? nil : "writes the answers of one turn in several writes"
    }

    /// Checks whether the status says that the server can be reached.
    mutating func status(_ status: SyncStatus) -> String? {
        let wasOnline = isOnline
        isOnline = status.isOnline
        guard hasNetwork, !turn.isExcused, status.state == .ready || status.state == .querying else { return nil }
        let isGone = lastLost == turn.time && lastHeard != turn.time && turn.time - lastHeard >= Self.goneAfter
        if wasOnline, !isOnline, !isGone { return "counts the server as gone soon after its answer" }
        if isOnline, isGone { return "does not notice that the server is gone" }
        return nil
    }

    /// Forgets an engine that was killed.
    mutating func end() { self = EngineRules() }
}

extension SyncMachine.Answer {
    /// The reason why there is no usable answer; `nil` if there is one, or if a part of the answer is usable.
    fileprivate var failure: RequestFailure? {
        switch self {
        case .mutations(let responses, _, _):
            responses.contains { $0.failure == nil } ? nil : responses.first?.failure
        case .fetch(let response, _): response.failure
        case .page(let response, _): response.failure
        case .records(let responses, _):
            responses.contains { $0.failure == nil } ? nil : responses.first?.failure
        case .subscribed, .subscriptionFailed, .subscriptionLost, .resolved, .identified, .unidentified: nil
        }
    }

    /// Whether the answer shows that the server can be reached.
    fileprivate var isUsable: Bool {
        switch self {
        case .mutations, .fetch, .page, .records, .subscribed: true
        case .subscriptionFailed, .subscriptionLost, .resolved, .identified, .unidentified: false
        }
    }
}

extension SyncMachine {
    /// Whether the answer is not the acknowledgement of a former connection or of a former request on the same connection.
    fileprivate func heeds(_ answer: Answer) -> Bool {
        guard case .subscribed(let request, let connection) = answer else { return true }
        return connection == self.connection && subscribing[request.model] == request
    }

    /// Whether the outbox or the inbox waits for the answer.
    fileprivate func waits(for answer: Answer) -> Bool {
        switch answer {
        case .mutations(_, let tickets, _): tickets.contains { outbox?.waits(for: $0) ?? false }
        case .fetch(_, let ticket): outbox?.waits(for: ticket) ?? false
        case .page(_, let query): inbox?.waits(for: query) ?? false
        case .records(_, let queries): queries.contains { inbox?.waits(for: $0) ?? false }
        case .subscribed, .subscriptionFailed, .subscriptionLost, .resolved, .identified, .unidentified: false
        }
    }
}

extension SyncResponse<Outbox.MutationResponse> {
    /// Whether the server took or refused the mutation.
    fileprivate var isDecision: Bool {
        switch content {
        case .written, .refused: true
        case .failed, .unauthenticated: false
        }
    }
}
