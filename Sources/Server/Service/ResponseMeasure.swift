internal import TidelogCore
internal import TidelogGraphQL

/// Tells how many bytes the records of a page take in a response, before the response is made: the fields that are selected
/// of them, as often as they are. What relations lead to is measured where it is read.
struct ResponseMeasure {
    /// What every record takes: the names of the fields, and the values whose length does not depend on the record.
    private let commonByteCount: Int
    /// The selected fields whose length depends on the record.
    private let fields: [SelectedField]
    /// Whether `fields` are all texts that a record has, each of them once. The texts of a record are then counted without
    /// looking for each by its name.
    private let hasEachTextOnce: Bool

    /// The measure of the records of `model` on a page, which `field` gives.
    init(pageOf field: SelectedField, _ model: ModelSchema) {
        let selected = (field.selection()?.fields ?? []).filter { $0.name == "items" }
            .flatMap { $0.selection()?.fields ?? [] }
        let lengthy = Set(model.fields.filter(\.type.isLengthy).map(\.name))
        fields = selected.filter { lengthy.contains($0.name) }
        hasEachTextOnce =
            fields.count == lengthy.count && Set(fields.map(\.name)) == lengthy
            && fields.allSatisfy { model.field(named: $0.name)?.type.isText ?? false }
        commonByteCount =
            selected.reduce(2) { $0 + Self.nameByteCount($1) }
            + (selected.count - (hasEachTextOnce ? 0 : fields.count)) * Self.otherByteCount
    }

    /// The bytes that `record` takes.
    func byteCount(_ record: Record) -> Int {
        var count = commonByteCount
        if hasEachTextOnce {
            // A text that is missing takes as much as any other value.
            for value in record.values.values {
                if case .string(let text) = value { count += Self.byteCount(text) - Self.otherByteCount }
            }
        } else {
            for field in fields { count += Self.byteCount(record[field.name], field) }
        }
        return count
    }

    /// The bytes that `record` takes as the value of `field`.
    static func byteCount(_ record: Record, of field: SelectedField) -> Int { byteCount(record.values, field) }

    private static func byteCount(_ values: [String: FieldValue], _ field: SelectedField) -> Int {
        var count = 2
        for part in field.selection()?.fields ?? [] {
            count += nameByteCount(part) + byteCount(values[part.name], part)
        }
        return count
    }

    private static func byteCount(_ value: FieldValue?, _ field: SelectedField) -> Int {
        switch value {
        case nil: otherByteCount
        case .string(let text)?: byteCount(text)
        case .list(let elements)?: elements.reduce(2) { $0 + 1 + byteCount($1, field) }
        case .embedded(let values)?: byteCount(values, field)
        case .date, .time, .dateTime, .int, .double, .bool: otherByteCount
        }
    }

    /// The bytes of a field's name in the response, with what stands around a member.
    private static func nameByteCount(_ field: SelectedField) -> Int { field.responseName.utf8.count + 4 }

    /// At least the bytes of a number, of a time, or of the name of a type.
    private static let otherByteCount = 40
    /// A text of at most this many bytes is not searched for bytes that take more room in JSON.
    private static let shortByteCount = 256

    /// The bytes of a text in JSON; of a short one, if all of its bytes stay as they are.
    private static func byteCount(_ text: String) -> Int {
        guard text.utf8.count > shortByteCount else { return text.utf8.count + 2 }
        return text.utf8.reduce(2) { count, byte in
            count + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}

extension FieldType {
    /// Whether a value may be of any length.
    fileprivate var isLengthy: Bool {
        switch self {
        case .id, .string, .enumeration, .embedded, .list: true
        case .int, .double, .bool, .date, .time, .dateTime, .timestamp: false
        }
    }
}
