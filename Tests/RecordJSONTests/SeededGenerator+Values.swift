import SeededNumbers
import TidelogCore

extension SeededGenerator {
    mutating func text() -> String {
        let pieces = [
            "a", "Z", "0", " ", "\u{0}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "\u{FFFF}", "\u{10FFFF}", "👩‍👩‍👧", "\"", "\\",
            "/",
            "\n", "\u{8}", "\u{2028}",
        ]
        return (0..<below(8)).map { _ in pick(pieces) }.joined()
    }

    mutating func double() -> Double {
        switch below(4) {
        case 0: return Double(below(2_000) - 1_000) / 8
        case 1: return pick([0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -0x1p63, 1e16, 1e-5])
        default:
            let value = Double(bitPattern: next())
            return value.isFinite && value != 0 ? value : 1.5
        }
    }

    mutating func day() -> String {
        "\(1_000 + below(9_000))-\(pick(["01", "06", "12"]))-\(pick(["01", "17", "28"]))"
    }

    mutating func clock() -> String { pick(["00:00", "23:59:59", "07:30:01.000000001", "12:00:00.250"]) }

    mutating func zone() -> String { pick(["", "Z", "+05:30", "-11:00:07"]) }

    /// A random value of `type`, as a store would return it.
    mutating func value(of type: FieldType, in schema: Schema, depth: Int = 0) throws -> FieldValue {
        switch type {
        case .id, .string: return .string(text())
        case .int, .timestamp: return .int(once(in: 3) ? pick([.min, .max, 0, 1 << 53 + 1]) : Int64(below(1_000)))
        case .double: return .double(double())
        case .bool: return .bool(once(in: 2))
        case .enumeration(let name): return .string(pick(schema.enums.first { $0.name == name }?.cases ?? []))
        case .date: return .date(try Temporal.Date(day() + zone()))
        case .time: return .time(try Temporal.Time(clock() + zone()))
        case .dateTime: return .dateTime(try Temporal.DateTime(day() + "T" + clock() + zone()))
        case .embedded(let name):
            let fields = schema.embeddedTypes.first { $0.name == name }?.fields ?? []
            return .embedded(try values(of: fields, in: schema, depth: depth + 1))
        case .list(let element, let elementIsRequired):
            return .list(
                try (0..<(depth > 4 ? 0 : below(4))).map { _ in
                    !elementIsRequired && once(in: 4) ? nil : try value(of: element, in: schema, depth: depth + 1)
                })
        }
    }

    mutating func values(of fields: [FieldSchema], in schema: Schema, depth: Int = 0) throws -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for field in fields where field.isRequired || (depth < 4 && !once(in: 3)) {
            values[field.name] = try value(of: field.type, in: schema, depth: depth)
        }
        return values
    }
}
