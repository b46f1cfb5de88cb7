import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

/// Runs the actions of an outbox. It keeps a log, rows and notes in memory, and collects the mutations that the outbox sends.
struct OutboxDriver {
    static let schema = Schema(models: [
        ModelSchema(name: "Post", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string)]),
        ModelSchema(
            name: "Comment",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string), FieldSchema("postID", .id),
            ],
            associations: [Association(name: "post", kind: .belongsTo, target: "Post", fields: ["postID"])]),
    ])

    let models = SyncModels(Self.schema)
    var options: Outbox.Options
    var outbox: Outbox
    var entries: [LogEntry] = []
    var rows: [SequenceNumber: Record] = [:]
    var states: [RecordReference: ServerState] = [:]
    var marks: [Int: SentMark] = [:]
    var tries: [Int: FailedTries] = [:]
    var sent: [(mutation: OutgoingMutation, ticket: Outbox.Ticket)] = []
    var fetches: [(reference: RecordReference, ticket: Outbox.Ticket)] = []
    var conflicts: [(conflict: SyncConflict, slot: Int)] = []
    var answers: [Outbox.Answer] = []
    var refreshCount = 0
    var now: Int64 = 0
    /// The random number for every wait. With 0, each wait is as short as possible.
    var jitter: UInt64 = 0

    init(options: Outbox.Options = Outbox.Options()) {
        self.options = options
        outbox = Outbox(models, pending: PendingChanges(after: .start), position: .start, marks: [:], options: options)
        run(outbox.start(at: 0))
    }

    static func reference(_ id: String, _ model: String = "Post") -> RecordReference {
        RecordReference(model: model, id: RecordID(id))
    }

    private var next: Position {
        Position(sequence: SequenceNumber(UInt64(entries.count) + 1), chain: UInt64(entries.count) * 7)
    }

    // MARK: Events

    /// The app changes a record.
    mutating func change(
        _ id: String, _ kind: PendingChange.Kind, _ title: String = "t", model: String = "Post", parent: String? = nil,
        condition: String? = nil
    ) {
        let place = next
        var row = Record(model: model, values: ["id": .string(id), "title": .string(title)])
        if let parent { row["postID"] = .string(parent) }
        if kind != .delete { rows[place.sequence] = row }
        let change = PendingChange(
            Self.reference(id, model), kind, mutation: MutationID(incarnation: 1, sequence: place.sequence),
            chain: place.chain, placeBefore: entries.last?.position ?? .start, changedFields: ["title"],
            condition: condition,
            parents: models[model]?.parents(of: row) ?? [])
        log(.change(change))
    }

    mutating func log(_ content: LogEntry.Content, answer: (RecordReference, MutationID)? = nil) {
        let entry = LogEntry(next, content, answer: answer)
        entries.append(entry)
        run(outbox.logged([entry], at: now))
    }

    /// The engine is killed, and starts again with the same log.
    mutating func crash() {
        var pending = PendingChanges(after: .start)
        for entry in entries { pending.append(entry) }
        (sent, fetches, conflicts) = ([], [], [])
        outbox = Outbox(models, pending: pending, position: .start, marks: marks, tries: tries, options: options)
        run(outbox.start(at: now))
    }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        run(outbox.timePassed(to: now, jitter: jitter))
    }

    /// The server answers the oldest request.
    mutating func respond(_ response: Outbox.MutationResponse) {
        let (_, ticket) = sent.removeFirst()
        run(outbox.responsesReceived([response], to: [ticket], at: now, jitter: jitter))
    }

    mutating func respondWritten(version: UInt64) {
        let mutation = sent[0].mutation
        respond(.written(Self.record(mutation.reference, "t", version: version, isDeleted: mutation.kind == .delete)))
    }

    mutating func fetched(_ response: Outbox.FetchResponse) {
        let (_, ticket) = fetches.removeFirst()
        run(outbox.fetched(response, for: ticket, at: now, jitter: jitter))
    }

    mutating func resolve(_ decision: SyncConflict.Decision) {
        run(outbox.resolved(decision, slot: conflicts.removeFirst().slot, at: now))
    }

    static func record(
        _ reference: RecordReference, _ title: String, version: UInt64, isDeleted: Bool = false
    ) -> ServerRecord {
        let row = Record(model: reference.model, values: ["id": reference.id.components[0], "title": .string(title)])
        return ServerRecord(reference, row: isDeleted ? nil : row, version: version, lastChangedAt: Int64(version) * 10)
    }

    // MARK: Actions

    mutating func run(_ actions: [Outbox.Action]) {
        for action in actions {
            switch action {
            case .prepare(let preparation):
                let row = Outbox.PreparedRow(
                    slot: preparation.slot, state: states[preparation.reference], row: rows[preparation.last])
                run(outbox.prepared([row], at: now))
            case .mark(let new):
                marks.merge(new) { $1 }
                run(outbox.marked(new.keys.sorted(), at: now))
            case .noteTries(let slot, _, let failed): tries[slot] = failed
            case .send(let mutation, let ticket): sent.append((mutation, ticket))
            case .fetch(let reference, let ticket): fetches.append((reference, ticket))
            case .resolve(let conflict, let slot): conflicts.append((conflict, slot))
            case .answer(let answer): append(answer)
            case .settle(_, _, let slot): run(outbox.settled(slot: slot, at: now))
            case .refreshSession: refreshCount += 1
            case .join, .advance: break
            }
        }
    }

    private mutating func append(_ answer: Outbox.Answer) {
        answers.append(answer)
        if answer.mark.fields != nil { marks[answer.slot] = nil }
        if answer.tries != nil { tries[answer.slot] = nil }
        var content = LogEntry.Content.other
        switch answer.outcome {
        case .taken(let record): states[answer.reference] = record?.state()
        case .yielded(let record): states[answer.reference] = record.state()
        case .setAside(let reason, let server), .replaced(let reason, let server):
            let holds = if case .setAside = answer.outcome { true } else { false }
            content = .setAside(
                SetAsideChange(
                    answer.reference, answer.mutation.kind, fields: answer.mutation.fields, reason: reason.message,
                    errorType: reason.errorType, attempts: answer.attempts, first: answer.mark.first,
                    last: outbox.pending.changes(of: answer.reference).last?.sequence ?? answer.mark.last,
                    holdsRow: holds, server: server))
        }
        log(content, answer: (answer.reference, answer.mutation.id))
        run(outbox.answered(slots: [answer.slot], at: now))
    }
}
