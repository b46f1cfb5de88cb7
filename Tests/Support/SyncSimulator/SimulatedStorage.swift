import TidelogCore
import TidelogSync

/// The store of a simulated device, as its engine uses it. The engine may be killed before and after each write, and each write
/// is checked.
struct SimulatedStorage: SyncStorage {
    private let environment: SimulatedEnvironment
    private let isOpen: Bool

    init(_ environment: SimulatedEnvironment, isOpen: Bool) {
        (self.environment, self.isOpen) = (environment, isOpen)
    }

    private var client: SimulatedClient { environment.client }
    private var simulation: Simulation { client.simulation }
    private var store: SyncStore { client.syncStore }
    private var fault: PlantedFault? { simulation.plan.planted }

    /// Performs a write of the engine.
    private func write<Value>(_ body: (SyncStore) async throws -> Value) async throws -> Value {
        try killSometimes()
        let value: Value
        do {
            value = try await body(store)
        } catch let error as SyncStore.Overtaken {
            simulation.trace.note(simulation.now, client.number, "overtaken")
            throw error
        }
        do {
            try killSometimes()
        } catch {
            // The write is in the log, although the engine does not know it.
            try await client.readOwnWrite()
            throw error
        }
        return value
    }

    private func killSometimes() throws {
        if !environment.isKilled, simulation.strikes(.crash, once: 150) { environment.kill() }
        if environment.isKilled { throw SimulatedClient.Killed() }
    }

    private func received(_ reception: SyncMachine.Reception) -> SyncMachine.Reception {
        if !reception.hints.isEmpty {
            simulation.trace.note(simulation.now, client.number, "hints", "\(reception.hints.count)")
        }
        return reception
    }

    // MARK: Reading

    func contents() async throws -> SyncMachine.Contents {
        environment.cover(isOpen ? "open" : "countPending")
        if environment.isKilled { throw SimulatedClient.Killed() }
        return try await store.contents()
    }

    func newEvents(
        after position: Position, isQuiet: Bool, isHeard: Bool
    ) async throws -> SyncMachine.NewEvents {
        environment.cover("readLog")
        if environment.isKilled { throw SimulatedClient.Killed() }
        var events = try await store.newEvents(after: position, isQuiet: isQuiet, isHeard: isHeard)
        // An engine without pending changes does not read the server's records. The checks need them.
        let all = isQuiet ? try await store.newEvents(after: position, isQuiet: false, isHeard: false) : events
        for entry in all.entries { try client.note(entry) }
        if fault == .laterChangesForgotten, let outbox = client.outbox {
            for (index, entry) in events.entries.enumerated() {
                guard case .change(let change) = entry.content, outbox.isSending(change.reference) else { continue }
                events.entries[index].content = .other
            }
        }
        client.mayReplaceRows = false
        return events
    }

    func prepared(_ preparations: [Outbox.Preparation]) async throws -> [Outbox.PreparedRow] {
        environment.cover("prepare")
        return try await store.prepared(preparations)
    }

    func setAside() async throws -> [SetAsideChange] {
        environment.cover("countSetAside")
        return try await store.setAside()
    }

    func time(of sequence: SequenceNumber) async throws -> Int64? { try await store.time(of: sequence) }

    func lastSyncs() async throws -> [String: Int64] { try await store.lastSyncs() }

    // MARK: Writing

    func append(_ append: SyncMachine.Append, _ pending: PendingChanges) async throws -> SyncMachine.Reception {
        environment.cover("append")
        var append = append
        if let fault { try await fault.change(&append, pending, of: client) }
        try await client.checkMarks(append.marks, pending)
        for (slot, tries) in append.tries.sorted(by: { $0.key < $1.key }) {
            simulation.trace.note(simulation.now, client.number, "delayed", "\(slot) \(tries.count)")
        }
        for answer in append.answers {
            simulation.trace.note(
                simulation.now, client.number, "answer", "\(answer.mutation.text): \(answer.outcome.text)")
            switch answer.outcome {
            case .taken, .yielded: break
            case .setAside, .replaced: client.refused.insert(answer.mutation.id)
            }
        }
        client.mayReplaceRows = !append.answers.isEmpty
        let reception = try await write { try await $0.append(append, pending) }
        client.check(client.rules.appended(append))
        for answer in append.answers { try client.checkAnswer(answer) }
        return received(reception)
    }

    func receive(pushed records: [ServerRecord], _ pending: PendingChanges) async throws -> SyncMachine.Reception {
        environment.cover("receivePushes")
        for record in records where client.outbox?.isSending(record.reference) ?? false {
            client.check("writes a push of \(record.reference.text) before the answer that is on its way")
        }
        var records = records
        if fault == .hintTaken { for index in records.indices { records[index].mayLackValues = false } }
        let pending = fault == .pushNotShadowed ? PendingChanges(after: pending.head) : pending
        var before: [RecordReference: UInt64] = [:]
        for record in records {
            simulation.trace.note(
                simulation.now, client.number, "push", "\(record.reference.text) \(record.version)")
            before[record.reference] = try await client.knownVersion(of: record.reference)
        }
        if fault == .oldVersionTaken { try await client.takeOldVersions(of: records, before) }
        if fault == .messagesTaken { try await client.takeWhole(records, before) }
        let reception = try await write { try await $0.receive(pushed: records, pending) }
        // Only a base query may lower a version.
        for (reference, version) in before {
            guard let after = try await client.knownVersion(of: reference), after < version else { continue }
            throw client.report("client \(client.number) goes back from \(version) to \(reference.text) \(after)")
        }
        return received(reception)
    }

    func receive(_ page: Inbox.PageAppend, _ pending: PendingChanges) async throws -> SyncMachine.Reception {
        environment.cover("receivePage")
        var page = page
        if fault == .lastSyncTooEarly { page.notes[NoteName.lastSync(page.model)] = client.lastSync(page).encoded }
        if fault == .unusableHidden { page.notesIfUnstorable = page.notes }
        var reception = received(try await write { [page] in try await $0.receive(page, pending) })
        if fault == .unusableHidden { reception.unstorable = [] }
        return reception
    }

    func receive(_ answers: [Inbox.RecordAnswer], _ pending: PendingChanges) async throws -> SyncMachine.Reception {
        environment.cover("receiveRecords")
        var answers = answers
        if fault == .timesOrdered {
            for answer in answers {
                let version = try await client.knownVersion(of: answer.query.reference) ?? 0
                if let record = answer.record, record.version < version { answers.removeAll { $0 == answer } }
            }
        }
        let before = try await client.visibleRecords()
        let reception = received(try await write { [answers] in try await $0.receive(answers, pending) })
        try await client.checkRemovals(since: before)
        return reception
    }

    func sweep(_ sweep: Inbox.Sweep, _ pending: PendingChanges) async throws -> SyncMachine.Sweeping {
        environment.cover("sweep")
        var sweep = sweep
        if fault == .nothingSwept { sweep.seen = nil }
        if fault == .doubtIgnored || fault == .absenceBelieved {
            (sweep.certainBefore, sweep.receivedThrough) = (sweep.startedAt, SequenceNumber(.max))
        }
        if fault == .absenceBelieved { sweep.startedAt = .max }
        let before = try await client.visibleRecords()
        let sweeping = try await write { [sweep] in try await $0.sweep(sweep, pending) }
        try await client.checkRemovals(since: before)
        if !sweeping.inDoubt.isEmpty {
            simulation.trace.note(simulation.now, client.number, "in doubt", "\(sweeping.inDoubt.count)")
        }
        return sweeping
    }

    func settle(_ reference: RecordReference, through last: SequenceNumber, _ pending: PendingChanges) async throws {
        environment.cover("settle")
        client.mayReplaceRows = true
        try await write { try await $0.settle(reference, through: last, pending) }
    }

    func join(_ reference: RecordReference, _ pending: PendingChanges) async throws {
        environment.cover("join")
        // A record that was created, refused and deleted on this device takes the server's row again.
        client.mayReplaceRows = true
        try await write { try await $0.join(reference, pending) }
    }

    func note(_ chosen: SyncProtocol) async throws {
        environment.cover("choose")
        try await write { try await $0.note(chosen) }
    }

    func advance(to position: Position) async throws {
        environment.cover("advance")
        try await write { try await $0.advance(to: position) }
    }
}
