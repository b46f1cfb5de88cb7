import Foundation
import TestStores
import Tidelog

@testable import TidelogCore

/// A schema with every type of field, keys of one field and of several fields, indexes, an embedded type and an enum.
enum SampleSchema {
    /// - Parameter isLater: Whether the schema has the fields, the case and the index that the later version adds.
    static func make(isLater: Bool) throws -> Schema {
        try Schema(
            sdl: """
                enum Mood { CALM WILD \(isLater ? "ODD" : "") }
                type Place { name: String! height: Float tags: [String] }
                type Sample @model {
                  id: ID!
                  title: String!
                  count: Int \(isLater ? "@index(name: \"byCount\")" : "")
                  weight: Float
                  isOpen: Boolean
                  mood: Mood
                  day: AWSDate
                  time: AWSTime
                  moment: AWSDateTime
                  stamp: AWSTimestamp
                  place: Place
                  places: [Place!]
                  moods: [Mood]
                  numbers: [Int]
                  \(isLater ? "added: String, amount: Int! @default(value: \"7\")" : "")
                }
                type Pair @model {
                  left: String! @primaryKey(sortKeyFields: ["right"])
                  right: Int!
                  note: String @index(name: "byNote", sortKeyFields: ["right"])
                }
                type Own @model @localOnly { id: ID! text: String }
                """)
    }

    static func sample(_ number: Int, _ title: String) throws -> Record {
        let place = FieldValue.embedded([
            "name": .string("Høyde \(number)"), "height": .double(Double(number) * -1.5),
            "tags": .list([.string("é"), nil, .string("")]),
        ])
        var values: [String: FieldValue] = ["id": .string("sample-\(number)"), "title": .string(title)]
        guard number % 3 > 0 else { return Record(model: "Sample", values: values) }
        values["count"] = .int(number % 2 == 0 ? .min + Int64(number) : .max - Int64(number))
        values["weight"] = .double(number % 2 == 0 ? .leastNonzeroMagnitude : -.greatestFiniteMagnitude)
        values["isOpen"] = .bool(number % 2 == 0)
        values["mood"] = .string(number % 2 == 0 ? "CALM" : "WILD")
        values["day"] = .date(try Temporal.Date("2026-11-2\(number % 10)+02:00"))
        values["time"] = .time(try Temporal.Time("10:30:00.25\(number % 10)"))
        values["moment"] = .dateTime(try Temporal.DateTime("1969-12-31T23:59:5\(number % 10).5Z"))
        values["stamp"] = .int(-Int64(number))
        values["place"] = place
        values["places"] = .list([place, place])
        values["moods"] = .list([.string("WILD"), nil])
        values["numbers"] = .list([.int(0), nil, .int(-1)])
        return Record(model: "Sample", values: values)
    }

    static func pair(_ left: String, _ right: Int64, _ note: String? = nil) -> Record {
        var values: [String: FieldValue] = ["left": .string(left), "right": .int(right)]
        if let note { values["note"] = .string(note) }
        return Record(model: "Pair", values: values)
    }
}

/// Fills a store with every kind of event, in both versions of the schema.
struct SampleStore {
    let store: DataStore

    func writeEarlier() async throws {
        try await store.write { tx in
            for number in 0..<8 { try tx.save(SampleSchema.sample(number, "first")) }
            for right in -2...2 as ClosedRange<Int64> { try tx.save(SampleSchema.pair("ä", right, "n\(right % 2)")) }
        }
        try await store.save(Record(model: "Own", values: ["id": .string("own"), "text": .string("here")]))
        try await store.save(SampleSchema.sample(1, "second"), where: .field("title", .equal(.string("first"))))
        _ = try await store.consumer(named: "search", startingAfter: store.head)
        try await store.write { _ = try $0.delete("Sample", id: "sample-2") }
        try await store.write { tx in
            try tx.append(received: SampleSchema.sample(20, "theirs"), server: state(1))
            try tx.append(received: SampleSchema.sample(21, "theirs"), server: state(2))
            try tx.append(receivedDeletionOf: "Sample", id: "sample-22", server: state(3, isDeleted: true))
        }
    }

    /// Writes records with new fields, answers of a server, a compaction that leaves gaps, and changes that stay in the
    /// outbox.
    func writeLater() async throws {
        for sequence in 1...3 as ClosedRange<UInt64> {
            let sequence = SequenceNumber(sequence)
            let answer = (
                mutation: MutationID(
                    incarnation: try store.current().log.metadata.incarnation, sequence: sequence),
                outbox: try store.position(of: sequence)
            )
            try await store.write { tx in
                let id = RecordID("sample-\(sequence.value - 1)")
                if sequence.value == 2 {
                    try tx.append(rejected: "Sample", id: id, reason: "too late", answering: answer)
                } else {
                    try tx.append(
                        acknowledged: "Sample", id: id, server: state(sequence.value + 3), answering: answer)
                }
            }
        }
        try await store.write { try $0.append(leftScope: "Sample", id: "sample-21") }
        for round in 0..<3 { try await store.save(SampleSchema.sample(20, "round \(round)")) }
        for round in 0..<3 {
            try await store.save(Record(model: "Own", values: ["id": .string("own"), "text": .string("\(round)")]))
        }
        try await store.consumer(named: "search").advance(to: store.head)
        _ = try await store.compact()
        var record = try SampleSchema.sample(4, "later")
        record["added"] = .string("since")
        record["mood"] = .string("ODD")
        try await store.save(record)
        try await store.write { _ = try $0.delete("Pair", id: [.string("ä"), .int(-1)]) }
        try await store.write { tx in
            var shadowed = state(9)
            shadowed.baseVersion = 1
            try tx.append(received: SampleSchema.sample(4, "theirs"), server: shadowed, isShadowed: true)
            try tx.append(noted: "sync.Sample", value: Array("page 2".utf8))
            try tx.append(noted: "sync.Own", value: [0, 255])
            try tx.append(noted: "sync.Own", value: nil)
        }
    }

    private func state(_ version: UInt64, isDeleted: Bool = false) -> ServerState {
        ServerState(version: version, lastChangedAt: 1_700_000_000_000 + Int64(version), isDeleted: isDeleted)
    }

    /// Describes everything in the store, one item a line. The text is the same for every adapter.
    func description() async throws -> String {
        var lines = ["head \(try store.head.sequence) \(try store.head.chain)", "rows \(try await store.hash())"]
        for event in try store.allEvents() { lines.append(describe(event)) }
        for consumer in try await store.metrics().consumers {
            lines.append("consumer \(consumer.name) \(consumer.position.sequence) \(consumer.position.chain)")
        }
        try await store.read { snapshot in
            for model in ["Own", "Pair", "Sample"] {
                for record in try snapshot.fetch(Record.all(of: model)) { lines.append(describe(record)) }
            }
            for number in 0..<24 {
                guard let state = try snapshot.serverState("Sample", id: RecordID("sample-\(number)")) else { continue }
                lines.append("server sample-\(number) \(describe(state))")
            }
            try snapshot.forEachNote { note in
                lines.append("note \(note.name) \(note.value.map { "\($0)" } ?? "-")")
                return true
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func describe(_ event: Event) -> String {
        var parts = ["event \(event.sequence) \(event.kind) \(event.origin) commit \(event.commit)"]
        parts.append("last \(event.isLastInCommit) previous \(event.previous) schema \(event.schemaVersion)")
        parts.append("at \(event.microsecondsSince1970) chain \(event.position.chain)")
        parts.append("mutation \(event.mutationID.incarnation) key \(event.key) asks \(event.asksForMutation)")
        parts.append("changed \(event.changedFields)")
        if let condition = event.condition { parts.append("where \(condition)") }
        if let reason = event.reason { parts.append("reason \(reason)") }
        if let state = event.serverState { parts.append("server \(describe(state))") }
        if let answer = event.answer {
            parts.append("answers \(answer.mutation.incarnation) \(answer.mutation.sequence) \(answer.outboxPosition)")
        }
        if event.isShadowed { parts.append("shadowed") }
        if let note = event.note { parts.append("note \(note.name) \(note.value.map { "\($0)" } ?? "-")") }
        if let record = event.record { parts.append(describe(record)) }
        return parts.joined(separator: " ")
    }

    private func describe(_ state: ServerState) -> String {
        "\(number(state.baseVersion)) \(number(state.version)) \(state.lastChangedAt) \(state.isDeleted)"
    }

    private func number(_ version: UInt64?) -> String { version.map(String.init) ?? "-" }

    private func describe(_ record: Record) -> String { "\(record.model) \(describe(.embedded(record.values)))" }

    private func describe(_ value: FieldValue?) -> String {
        switch value {
        case nil: "nil"
        case .string(let text)?: text.debugDescription
        case .int(let number)?: "\(number)"
        case .double(let number)?: "\(number)f"
        case .bool(let flag)?: "\(flag)"
        case .date(let date)?: "\(date)"
        case .time(let time)?: "\(time)"
        case .dateTime(let dateTime)?: "\(dateTime)"
        case .embedded(let values)?:
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \(describe($0.value))" }.joined(separator: ", ")
                + "}"
        case .list(let values)?: "[" + values.map { describe($0) }.joined(separator: ", ") + "]"
        }
    }
}
