import SeededNumbers
import TidelogCore

extension SeededGenerator {
    /// A text of characters that are difficult for stores: U+0000, combining marks, one letter in two forms, and the
    /// highest scalars.
    mutating func text(upTo count: Int = 6) -> String {
        let pieces = [
            "a", "b", "A", "z", "0", " ", "\u{0}", "\u{1}", "\u{7F}", "é", "e\u{301}", "\u{FF}", "ß", "\u{FFFD}",
            "\u{FFFF}",
            "\u{10FFFF}", "👩‍👩‍👧", "\"", "\\", "\n", "\u{7FF}", "\u{800}", "\u{FE}",
        ]
        return (0..<below(count + 1)).map { _ in pick(pieces) }.joined()
    }

    mutating func int() -> Int64 {
        switch below(5) {
        case 0: Int64(below(10)) - 5
        case 1: pick([.min, .min + 1, .max, .max - 1, 0, -1, 1])
        case 2: pick([1, -1]) * (1 << 53) + Int64(below(5)) - 2
        case 3: Int64(truncatingIfNeeded: next()) >> below(64)
        default: Int64(truncatingIfNeeded: next())
        }
    }

    /// A number in the form in which a store keeps it: finite, and never −0.
    mutating func double() -> Double {
        switch below(6) {
        case 0: return Double(below(10)) - 5
        case 1:
            return pick([
                0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
                -.greatestFiniteMagnitude, 0.1, 0x1p63, -0x1p63, 0x1p53, 0x1p53 + 2, 0x1p62,
            ])
        case 2: return Double(int())
        case 3: return Double(below(20)) / 4 - 2
        default:
            let value = Double(bitPattern: next())
            return value.isFinite && value != 0 ? value : 1.5
        }
    }

    mutating func dateText() -> String {
        let year = "\(10_000 + below(10_000))".dropFirst()
        let month = "\(101 + below(12))".dropFirst()
        let day = "\(101 + below(28))".dropFirst()
        return "\(year)-\(month)-\(day)"
    }

    mutating func clockText() -> String {
        let part = { (generator: inout SeededGenerator, bound: Int) in "\(100 + generator.below(bound))".dropFirst() }
        var text = "\(part(&self, 24)):\(part(&self, 60))"
        guard once(in: 2) else { return text }
        text += ":\(part(&self, 60))"
        guard once(in: 2) else { return text }
        return text + "." + (0...below(9)).map { _ in String(below(10)) }.joined()
    }

    mutating func offsetText() -> String {
        let part = { (generator: inout SeededGenerator, bound: Int) in "\(100 + generator.below(bound))".dropFirst() }
        switch below(4) {
        case 0: return ""
        case 1: return "Z"
        case 2: return "\(pick(["+", "-"]))\(part(&self, 18)):\(part(&self, 60))"
        default: return "\(pick(["+", "-"]))\(part(&self, 18)):\(part(&self, 60)):\(part(&self, 60))"
        }
    }

    mutating func uuid() -> String {
        let digits = (0..<32).map { _ in String(below(16), radix: 16) }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text += digit
        }
        return once(in: 3) ? text.uppercased() : text
    }

    /// A value of `type`, in the form in which a store returns it.
    mutating func value(of type: FieldType, in schema: Schema, depth: Int = 0) throws -> FieldValue {
        switch type {
        case .id: return .string(once(in: 2) ? uuid() : text())
        case .string: return .string(text())
        case .int, .timestamp: return .int(int())
        case .double: return .double(double())
        case .bool: return .bool(once(in: 2))
        case .enumeration(let name): return .string(pick(schema.enums.first { $0.name == name }?.cases ?? []))
        case .date: return .date(try Temporal.Date(dateText() + offsetText()))
        case .time: return .time(try Temporal.Time(clockText() + offsetText()))
        case .dateTime: return .dateTime(try Temporal.DateTime(dateText() + "T" + clockText() + offsetText()))
        case .embedded(let name):
            let fields = schema.embeddedTypes.first { $0.name == name }?.fields ?? []
            return .embedded(try values(of: fields, in: schema, depth: depth + 1))
        case .list(let element, let elementIsRequired):
            let count = depth > 4 ? 0 : below(4)
            return .list(
                try (0..<count).map { _ in
                    !elementIsRequired && once(in: 4) ? nil : try value(of: element, in: schema, depth: depth + 1)
                })
        }
    }

    mutating func values(of fields: [FieldSchema], in schema: Schema, depth: Int = 0) throws -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for field in fields where field.isRequired || (depth < 4 && !once(in: 4)) {
            values[field.name] = try value(of: field.type, in: schema, depth: depth)
        }
        return values
    }

    mutating func record(of model: ModelSchema, in schema: Schema) throws -> Record {
        Record(model: model.name, values: try values(of: model.fields, in: schema))
    }
}
