extension Schema {
    /// Whether `value` can be stored in a field of `type`: what `FieldValue.converted(to:)` says of a layout, asked before
    /// there is one.
    func admits(_ value: FieldValue, as type: FieldType, depth: Int) -> Bool {
        guard depth <= Limits.nestingDepth else { return false }
        switch (type, value) {
        case (.id, .string), (.string, .string), (.int, .int), (.timestamp, .int), (.bool, .bool), (.date, .date),
            (.time, .time), (.dateTime, .dateTime):
            return true
        case (.enumeration(let name), .string(let text)):
            return enums.first { $0.name == name }?.cases.contains(text) ?? false
        case (.double, .double(let number)): return number.isFinite
        case (.double, .int(let number)): return Double(exactly: number) != nil
        case (.date, .string(let text)): return (try? Temporal.Date(text)) != nil
        case (.time, .string(let text)): return (try? Temporal.Time(text)) != nil
        case (.dateTime, .string(let text)): return (try? Temporal.DateTime(text)) != nil
        case (.list(let element, let elementIsRequired), .list(let values)):
            return values.allSatisfy { $0.map { admits($0, as: element, depth: depth + 1) } ?? !elementIsRequired }
        case (.embedded(let name), .embedded(let values)):
            guard let fields = embeddedTypes.first(where: { $0.name == name })?.fields else { return false }
            let names = Set(fields.map(\.name))
            return values.keys.allSatisfy(names.contains)
                && fields.allSatisfy { field in
                    values[field.name].map { admits($0, as: field.type, depth: depth + 1) } ?? !field.isRequired
                }
        default: return false
        }
    }
}
