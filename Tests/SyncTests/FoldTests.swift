import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Folding")
struct FoldTests {
    static let schema = Schema(models: [
        ModelSchema(
            name: "Post",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string), FieldSchema("rating", .int),
                FieldSchema("updatedAt", .dateTime, isReadOnly: true),
            ])
    ])
    static let post = RecordReference(model: "Post", id: "1")
    static let known = ServerState(version: 3)

    static func change(
        _ kind: PendingChange.Kind, _ sequence: UInt64, fields: [String] = [], condition: String? = nil
    ) -> PendingChange {
        PendingChange(
            post, kind, mutation: MutationID(incarnation: 7, sequence: SequenceNumber(sequence)),
            placeBefore: Position(sequence: SequenceNumber(sequence - 1), chain: sequence), changedFields: fields,
            condition: condition)
    }

    @Test(
        "consecutive changes of a record become one mutation",
        arguments: [
            ([.create, .update], nil, .create, .all),
            ([.update, .update], known, .update, .named(["f1", "f2"])),
            ([.create, .delete], nil, nil, .named([])),
            ([.update, .delete], known, .delete, .named([])),
            ([.delete, .create], known, .update, .all),
            ([.create], ServerState(version: 4, isDeleted: true), .create, .all),
            ([.update], nil, .create, .all),
            ([.delete, .create], ServerState(version: 4, isDeleted: true), .create, .all),
            ([.delete], ServerState(version: 4, isDeleted: true), nil, .named([])),
            ([.update], ServerState(baseVersion: 3, version: 4, isDeleted: true), .update, .named(["f1"])),
            ([.delete], ServerState(baseVersion: 0, version: 4, isDeleted: true), nil, .named([])),
            ([.update], ServerState(baseVersion: 0, version: 4, isDeleted: true), .create, .all),
        ] as [([PendingChange.Kind], ServerState?, PendingChange.Kind?, Fold.Fields)])
    func rules(kinds: [PendingChange.Kind], state: ServerState?, kind: PendingChange.Kind?, fields: Fold.Fields) {
        let changes = kinds.enumerated().map { Self.change($1, UInt64($0) + 1, fields: ["f\($0 + 1)"]) }
        let fold = Fold(next: changes[...], state: state)
        #expect(fold.kind == kind)
        #expect(fold.fields == fields)
        #expect(fold.first == SequenceNumber(1))
        #expect(fold.mutation.sequence == SequenceNumber(UInt64(kinds.count)))
    }

    @Test("a change with a condition is sent as a mutation of its own")
    func condition() {
        let changes = [
            Self.change(.update, 1, fields: ["title"]), Self.change(.update, 2, fields: ["rating"], condition: "c"),
            Self.change(.update, 3, fields: ["title"]),
        ]
        #expect(Fold(next: changes[...], state: Self.known).last == SequenceNumber(1))
        let second = Fold(next: changes[1...], state: Self.known)
        #expect(second.last == SequenceNumber(2))
        #expect(second.condition == "c")
        #expect(Fold(next: changes[2...], state: Self.known).condition == nil)
    }

    @Test("fields that only the server sets are not sent, and an update sends null for a value that is gone")
    func fields() throws {
        let model = try #require(SyncModels(Self.schema)["Post"])
        let row = Record(model: "Post", values: ["id": "1", "title": "a", "updatedAt": "2026-11-24T10:30:00Z"])
        let changes = [Self.change(.update, 1, fields: ["rating", "updatedAt"])]
        let update = try #require(
            OutgoingMutation(Fold(changes[...], state: Self.known), row: row, model: model, baseVersion: 3))
        #expect(update.fields == ["rating": nil])
        let created = [Self.change(.create, 1)]
        let create = try #require(
            OutgoingMutation(Fold(created[...], state: nil), row: row, model: model, baseVersion: nil))
        #expect(create.fields == ["title": "a"])
    }

    /// The history of a record: its changes, the row after each change, and the latest row.
    private struct History {
        var changes: [PendingChange] = []
        var rows: [Record?] = []
        var row: Record?

        mutating func add(_ random: inout SeededGenerator) {
            let sequence = UInt64(changes.count) + 1
            let condition = random.once(in: 5) ? "c" : nil
            guard var next = row else {
                row = Record(model: "Post", values: ["id": "1", "title": .string(random.text())])
                changes.append(FoldTests.change(.create, sequence, fields: ["id", "title"]))
                return rows.append(row)
            }
            if random.once(in: 4) {
                row = nil
                changes.append(FoldTests.change(.delete, sequence, condition: condition))
                return rows.append(nil)
            }
            let field = random.pick(["title", "rating"])
            next[field] = random.once(in: 4) ? nil : field == "title" ? .string(random.text()) : .int(Int64(sequence))
            row = next
            changes.append(FoldTests.change(.update, sequence, fields: [field], condition: condition))
            rows.append(row)
        }
    }

    @Test("the folded mutations of a random history give the server the last row of the history")
    func anyHistory() throws {
        let model = try #require(SyncModels(Self.schema)["Post"])
        var mutationCount = 0
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededGenerator(seed)
            var server: Record? = random.once(in: 2) ? nil : Record(model: "Post", values: ["id": "1", "title": "s"])
            var history = History(row: server)
            for _ in 0...random.below(9) { history.add(&random) }
            var state = server.map { _ in Self.known }
            var rest = history.changes[...]
            while !rest.isEmpty {
                // Some changes are made while a mutation is in flight, so each fold sees only a part of the changes.
                let visible = rest.prefix(1 + random.below(rest.count))
                let fold = Fold(next: visible, state: state)
                let folded = visible.prefix { $0.sequence <= fold.last }
                #expect(folded.count == 1 || folded.allSatisfy { $0.condition == nil })
                let row = history.rows[Int(fold.last.value) - 1]
                if let mutation = OutgoingMutation(fold, row: row, model: model, baseVersion: 3) {
                    mutationCount += 1
                    switch mutation.kind {
                    case .create:
                        #expect(server == nil)
                        server = Record(model: "Post", values: ["id": "1"])
                    case .update: #expect(server != nil)
                    case .delete:
                        #expect(server != nil)
                        server = nil
                    }
                    for (name, value) in mutation.fields { server?[name] = value }
                    state = ServerState(version: 4, isDeleted: server == nil)
                } else {
                    #expect(server == nil && row == nil)
                }
                rest = rest.dropFirst(folded.count)
            }
            #expect(server == history.row, "seed \(seed)")
        }
        #expect(mutationCount > 3_000)
    }
}
