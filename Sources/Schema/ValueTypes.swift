/// The types for values that a schema declares, by name.
struct ValueTypes {
    /// The cases of the enums.
    let cases: [String: Set<String>]
    /// The fields of the embedded types.
    let fields: [String: [FieldSchema]]

    init(_ schema: Schema) {
        cases = Dictionary(schema.enums.map { ($0.name, Set($0.cases)) }) { first, _ in first }
        fields = Dictionary(schema.embeddedTypes.map { ($0.name, $0.fields) }) { first, _ in first }
    }

    /// Whether `value` can be stored in a field of `type`.
    ///
    /// This is the same check as `FieldValue.converted(to:)`, before a layout exists.
    func admit(_ value: FieldValue, as type: FieldType, depth: Int) -> Bool {
        guard depth <= Limits.nestingDepth else { return false }
        switch (type, value) {
        case (.id, .string), (.string, .string), (.int, .int), (.timestamp, .int), (.bool, .bool), (.date, .date),
            (.time, .time), (.dateTime, .dateTime):
            return true
        case (.enumeration(let name), .string(let text)):
            return cases[name]?.contains { $0.utf8.elementsEqual(text.utf8) } ?? false
        case (.double, .double(let number)): return number.isFinite
        case (.double, .int(let number)): return Double(exactly: number) != nil
        case (.date, .string(let text)): return (try? Temporal.Date(text)) != nil
        case (.time, .string(let text)): return (try? Temporal.Time(text)) != nil
        case (.dateTime, .string(let text)): return (try? Temporal.DateTime(text)) != nil
        case (.list(let element, let elementIsRequired), .list(let values)):
            return values.allSatisfy { $0.map { admit($0, as: element, depth: depth + 1) } ?? !elementIsRequired }
        case (.embedded(let name), .embedded(let values)):
            guard let fields = fields[name] else { return false }
            let names = Set(fields.map(\.name))
            return values.keys.allSatisfy(names.contains)
                && fields.allSatisfy { field in
                    values[field.name].map { admit($0, as: field.type, depth: depth + 1) } ?? !field.isRequired
                }
        default: return false
        }
    }
}
