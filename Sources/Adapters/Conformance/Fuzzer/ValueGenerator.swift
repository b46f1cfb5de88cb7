@_spi(Adapters) internal import TidelogCore

/// Makes random values for a type.
///
/// There are few different values, so that queries find records, and some of them are unusual.
struct ValueGenerator {
    let schema: Schema
    /// The kind of the IDs in this round.
    let ids: IDs
    /// Whether values for rows may contain U+0000.
    let storesZeroCharacters: Bool

    /// The kinds of IDs. The IDs of a real table are usually of a single kind. Keys sort IDs by kind, then by text.
    enum IDs: CaseIterable {
        case anything, shortTexts, lowercaseUUIDs, uppercaseUUIDs
    }

    /// A value for a row, or `nil` for a missing value, if the field allows that.
    func value(_ field: FieldSchema, using random: inout SeededGenerator) -> FieldValue? {
        if !field.isRequired && random.oneIn(4) { return nil }
        let value = value(field.type, using: &random)
        return storesZeroCharacters ? value : Self.withoutZeroCharacters(value)
    }

    private static func withoutZeroCharacters(_ value: FieldValue) -> FieldValue {
        switch value {
        case .string(let text):
            .string(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{0}" })))
        case .embedded(let values): .embedded(values.mapValues { withoutZeroCharacters($0) })
        case .list(let elements): .list(elements.map { $0.map { withoutZeroCharacters($0) } })
        default: value
        }
    }

    func value(_ type: FieldType, using random: inout SeededGenerator) -> FieldValue {
        switch type {
        case .id: return .string(id(using: &random))
        case .string: return .string(text(using: &random))
        case .int, .timestamp: return .int(int(using: &random))
        case .double: return .double(double(using: &random))
        case .bool: return .bool(random.oneIn(2))
        // A text that no build knows as a case is stored like any other text.
        case .enumeration:
            return random.oneIn(4) ? .string(text(using: &random)) : random.pick(SampleType.status.values)
        case .date: return random.pick(random.pick(SampleType.date.classes))
        case .time: return random.pick(random.pick(SampleType.time.classes))
        case .dateTime: return random.pick(random.pick(SampleType.dateTime.classes))
        case .embedded(let name):
            var values: [String: FieldValue] = [:]
            for field in schema.embeddedTypes.first(where: { $0.name == name })?.fields ?? [] {
                values[field.name] = value(field, using: &random)
            }
            return .embedded(values)
        case .list(let element, let isRequired):
            return .list(
                (0..<random.int(0...3)).map { _ in
                    !isRequired && random.oneIn(5) ? nil : value(element, using: &random)
                })
        }
    }

    /// A value with which to compare a field of `type`. Sometimes it has another type that can be compared with `type`.
    func constant(_ type: FieldType, using random: inout SeededGenerator) -> FieldValue {
        switch type {
        case .int, .timestamp: return random.oneIn(3) ? .double(double(using: &random)) : .int(int(using: &random))
        case .double: return random.oneIn(3) ? .int(int(using: &random)) : .double(double(using: &random))
        case .enumeration:
            return random.oneIn(4) ? .string(text(using: &random)) : random.pick(SampleType.status.values)
        case .date, .time, .dateTime:
            let value = value(type, using: &random)
            return random.oneIn(4) ? .string(value.temporalText ?? "") : value
        case .id where random.oneIn(3):
            return .string(
                random.oneIn(2) ? text(using: &random) : String(id(using: &random).prefix(random.int(0...37))))
        default: return value(type, using: &random)
        }
    }

    private func id(using random: inout SeededGenerator) -> String {
        let digits = (0..<2).map { _ in String(random.int(0...15), radix: 16) }
        let uuid = "\(digits[0])f000000-0000-7000-8000-00000000000\(digits[1])"
        switch ids {
        case .anything: return text(using: &random)
        case .shortTexts: return "k\(random.int(0...300))"
        case .lowercaseUUIDs: return uuid
        case .uppercaseUUIDs: return uuid.uppercased()
        }
    }

    /// A text. Some texts are a part of a longer text.
    func text(using random: inout SeededGenerator) -> String {
        if random.oneIn(3) { return "t\(random.int(0...5))" }
        if random.oneIn(30) {
            return String(repeating: "x", count: random.pick([200, 253, 254, 255, 500, 511, 600]))
                + random.pick(["", "a"])
        }
        guard case .string(let text) = random.pick(random.oneIn(5) ? SampleType.id.values : SampleType.string.values)
        else {
            return ""
        }
        return random.oneIn(4) ? text + "t\(random.int(0...2))" : text
    }

    private func int(using random: inout SeededGenerator) -> Int64 {
        if random.oneIn(2) { return Int64(random.int(-3...3)) }
        if random.oneIn(4) { return Int64.random(in: .min ... .max, using: &random) }
        guard case .int(let number) = random.pick(SampleType.int.values) else { return 0 }
        return number
    }

    private func double(using random: inout SeededGenerator) -> Double {
        if random.oneIn(2) { return Double(random.int(-6...6)) / 2 }
        if random.oneIn(4) { return Double.random(in: -1e6...1e6, using: &random) }
        guard case .double(let number) = random.pick(random.pick(SampleType.double.classes)) else { return 0 }
        return number
    }
}
