import SeededNumbers
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

extension SeededGenerator {
    mutating func text() -> String { pick(["", "a", "title", "ünï", "0", "\u{0}", "日本"]) + String(below(50)) }

    mutating func optional<Value>(_ body: (inout SeededGenerator) -> Value) -> Value? {
        once(in: 3) ? nil : body(&self)
    }

    mutating func sequence() -> SequenceNumber { SequenceNumber(next() >> UInt64(below(64))) }

    mutating func value(depth: Int = 0) -> FieldValue? {
        switch below(depth > 2 ? 9 : 11) {
        case 0: return nil
        case 1: return .string(text())
        case 2: return .int(Int64(bitPattern: next()))
        case 3: return .double(Double(below(1_000_000)) / 8)
        case 4: return .bool(once(in: 2))
        case 5: return (try? Temporal.Date("2026-11-24+02:00")).map { .date($0) }
        case 6: return (try? Temporal.Time("10:30:00.250")).map { .time($0) }
        case 7, 8: return (try? Temporal.DateTime("2026-11-24T10:30:00.5Z")).map { .dateTime($0) }
        case 9: return .embedded(fields(depth: depth + 1).compactMapValues { $0 })
        default: return .list((0..<below(4)).map { _ in value(depth: depth + 1) })
        }
    }

    mutating func fields(depth: Int = 0) -> [String: FieldValue?] {
        var fields: [String: FieldValue?] = [:]
        for _ in 0..<below(5) { fields.updateValue(value(depth: depth), forKey: text()) }
        return fields
    }

    mutating func reference() -> RecordReference {
        let components: [FieldValue] = (0...below(2)).map { _ in once(in: 2) ? .string(text()) : .int(Int64(below(9))) }
        return RecordReference(model: pick(["Post", "Comment"]), id: RecordID(components))
    }

    mutating func serverRecord() -> ServerRecord {
        let reference = reference()
        let row = optional { Record(model: reference.model, values: $0.fields().compactMapValues { $0 }) }
        return ServerRecord(reference, row: row, version: next() >> 20, lastChangedAt: Int64(below(1_000_000)))
    }
}
