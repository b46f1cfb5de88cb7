import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Pending changes")
struct PendingChangesTests {
    private static func place(_ sequence: Int) -> Position {
        Position(sequence: SequenceNumber(UInt64(sequence)), chain: UInt64(sequence) * 31)
    }

    private static func change(_ id: String, _ sequence: Int, _ kind: PendingChange.Kind = .update) -> LogEntry {
        let mutation = MutationID(incarnation: 1, sequence: SequenceNumber(UInt64(sequence)))
        let reference = RecordReference(model: "Post", id: RecordID(id))
        return LogEntry(
            place(sequence),
            .change(PendingChange(reference, kind, mutation: mutation, placeBefore: place(sequence - 1))))
    }

    private static func answer(_ id: String, _ sequence: Int, of mutation: Int) -> LogEntry {
        LogEntry(
            place(sequence), .other,
            answer: (
                RecordReference(model: "Post", id: RecordID(id)),
                MutationID(incarnation: 1, sequence: SequenceNumber(UInt64(mutation)))
            ))
    }

    @Test("the outbox's position is before the oldest pending change, or at the last event if none is pending")
    func position() {
        var pending = PendingChanges(after: .start)
        for entry in [Self.change("a", 1), Self.change("b", 2), Self.change("a", 3)] { pending.append(entry) }
        #expect(pending.position() == Self.place(0))
        pending.append(Self.answer("b", 4, of: 2))
        #expect(pending.position() == Self.place(0))
        let a = RecordReference(model: "Post", id: "a")
        #expect(pending.position(answering: (a, SequenceNumber(1))) == Self.place(2))
        #expect(pending.position(answering: (a, SequenceNumber(3))) == Self.place(4))
        pending.append(Self.answer("a", 5, of: 1))
        #expect(pending.position() == Self.place(2))
        #expect(pending.changes(of: a).map(\.sequence.value) == [3])
        pending.append(Self.answer("a", 6, of: 3))
        #expect(pending.position() == Self.place(6))
        #expect(!pending.holdsRow(of: a))
    }

    @Test("a set-aside change keeps the record's row, but does not hold back the position; later changes stay pending")
    func setAside() {
        let a = RecordReference(model: "Post", id: "a")
        let aside = SetAsideChange(
            a, .update, fields: ["title": "x"], reason: "no", errorType: "Unauthorized", first: SequenceNumber(1),
            last: SequenceNumber(2), holdsRow: true)
        var pending = PendingChanges(after: .start)
        pending.append(Self.change("a", 1))
        pending.append(Self.change("a", 2))
        pending.append(LogEntry(Self.place(3), .setAside(aside)))
        #expect(pending.held(a) == aside)
        #expect(pending.count == 0 && pending.holdsRow(of: a))
        #expect(pending.position() == Self.place(3))
        pending.append(Self.change("a", 4))
        #expect(pending.changes(of: a).map(\.sequence.value) == [4])
        pending.append(LogEntry(Self.place(5), .decided(SequenceNumber(1))))
        #expect(pending.held(a) == nil && pending.holdsRow(of: a))

        // After a crash, the same log is read again. The notes describe the end of the log, so the change is already set aside.
        var again = PendingChanges(after: .start, held: [aside])
        again.append(Self.change("a", 1))
        again.append(Self.change("a", 2))
        #expect(again.count == 0)
        again.append(LogEntry(Self.place(3), .setAside(aside)))
        again.append(Self.change("a", 4))
        #expect(again.changes(of: a).map(\.sequence.value) == [4])
    }

    @Test("a visible record of the server ends the pending changes before it, and a shadowed record is remembered")
    func visible() {
        let a = RecordReference(model: "Post", id: "a")
        let shadow = ServerRecord(a, row: nil, version: 4, lastChangedAt: 1)
        var pending = PendingChanges(after: .start)
        pending.append(Self.change("a", 1, .create))
        #expect(pending.awaitsCreation(a))
        pending.append(LogEntry(Self.place(2), .shadowed(shadow)))
        #expect(pending.shadow(of: a) == shadow)
        pending.append(LogEntry(Self.place(3), .visible(a)))
        #expect(!pending.holdsRow(of: a) && pending.shadow(of: a) == nil)
    }

    @Test("the index of pending changes agrees with a plain list of the changes, for random logs")
    func anyLog() {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededGenerator(seed)
            var pending = PendingChanges(after: .start)
            var plain: [(id: String, sequence: Int)] = []
            for sequence in 1...60 {
                if random.once(in: 2) {
                    let id = random.pick(["a", "b", "c"])
                    pending.append(Self.change(id, sequence))
                    plain.append((id, sequence))
                } else if let answered = plain.isEmpty ? nil : random.pick(plain) {
                    pending.append(Self.answer(answered.id, sequence, of: answered.sequence))
                    plain.removeAll { $0.id == answered.id && $0.sequence <= answered.sequence }
                } else {
                    pending.append(LogEntry(Self.place(sequence), .other))
                }
                #expect(pending.count == plain.count)
                #expect(pending.position() == Self.place(plain.first.map { $0.sequence - 1 } ?? sequence))
                for id in ["a", "b", "c"] {
                    let changes = pending.changes(of: RecordReference(model: "Post", id: RecordID(id)))
                    #expect(changes.map { Int($0.sequence.value) } == plain.filter { $0.id == id }.map(\.sequence))
                }
                let place = random.below(sequence + 2)
                let found = pending.reference(at: SequenceNumber(UInt64(place)))
                #expect(found?.id == plain.first { $0.sequence == place }.map { RecordID($0.id) })
                var order: [String] = []
                for change in plain where !order.contains(change.id) { order.append(change.id) }
                #expect(pending.references.map(\.id) == order.map { RecordID($0) })
            }
        }
    }

    @Test("the longest wait before a retry doubles with each failure, up to the maximum")
    func backoff() {
        let backoff = Backoff(first: 100, maximum: 1_000)
        for (failure, bound) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (60, 1_000)] {
            #expect(backoff.wait(after: failure, jitter: UInt64(bound) - 1) == Int64(bound))
            #expect(backoff.wait(after: failure, jitter: UInt64(bound)) == 1)
        }
    }

    @Test("models are listed after the models that they refer to")
    func order() {
        func model(_ name: String, _ parent: String?) -> ModelSchema {
            ModelSchema(
                name: name, fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("parentID", .id)],
                associations: parent.map {
                    [Association(name: "parent", kind: .belongsTo, target: $0, fields: ["parentID"])]
                } ?? [])
        }
        let models = SyncModels(Schema(models: [model("A", "B"), model("B", "C"), model("C", nil), model("D", "D")]))
        #expect(models.names == ["C", "B", "A", "D"])
        let row = Record(model: "A", values: ["id": "1", "parentID": "2"])
        #expect(models["A"]?.parents(of: row) == [RecordReference(model: "B", id: "2")])
        #expect(models["A"]?.reference(of: row) == RecordReference(model: "A", id: "1"))
    }
}
